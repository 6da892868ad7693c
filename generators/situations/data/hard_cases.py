"""Arguments whose results are hard to round, as tools/hard_cases.py writes them.

Of 524,288 arguments of each function and type those whose results are nearest to halfway between
two numbers of the type, as codes in hexadecimal.
"""

from __future__ import annotations

HARD_CASES: dict[str, dict[str, str]] = {
    "acos": {
        "float32": (
            "3e0ad6b2 be2c1443 3f24635e 3f7419e4 bdd8ac9d 3f23a42c bc8b593f 3f13d315 "
            "3e5a6dc7 bf4c08db 3f4e1605 beac728f "
        ),
        "float64": (
            "bfe719bfdb48c424 bfeb51f22a7c74ba 3fd2eb64178844d0 3fd5f4767697521c "
            "bfe94321c4ec0ba4 bfe81190e318e8ce bfc8cf4af1614828 3fbcd2052038ec20 "
            "bfe18c86ab631376 3fecc3579c9dec8a bfb94df1b10814a0 bfe542ce9dd03310 "
        ),
    },
    "acosh": {
        "float32": (
            "4467be1b 44526b0e 44022290 43f5490c 43f5f4ca 444f657c 4464e1bd 437135c3 "
            "438ac221 4327d700 41acbd20 4429f4ba "
        ),
        "float64": (
            "407f4e0dc9239f4e 406b09ce82b86490 4047fb48dcfb79c7 407e8f9762dbbcfc "
            "408e0739dea26b96 406ae8cdf1cff4f2 4067b684e2e79f92 4080171d9d859a70 "
            "4086eba979ff176a 4048f03adcdff7d0 40597b16ff1f40b7 408be7f1f000ade2 "
        ),
    },
    "asin": {
        "float32": (
            "3f5a47e1 3eed3ca7 bef5aa7a 3f43ef61 be585671 3ec9680c bf2a009d 3d461fd0 "
            "bd2bc24f be0836d2 3f60cc2a 3f035dc7 "
        ),
        "float64": (
            "3fed683d53a7a80e 3febe38f8d8e2fb2 bfe96f7bca7f15ea 3fdf6da1075cc000 "
            "bfedbb30b8d2c7a4 bfe85d6b6e16e720 3fe58d44c866c31a bfef29adfa7ed176 "
            "bfdeb6f1d5ca02b0 3feb295fb4f9aa6a 3fe223b37ce9df70 3fe8518fba61bef6 "
        ),
    },
    "asinh": {
        "float32": (
            "c3453c1a c474d20f 442678a3 c44bfdc7 43c3a7d3 4383cb4e 443d2e3e 44305861 "
            "4455df8d c4192ff5 42bccb58 c2e8f1f1 "
        ),
        "float64": (
            "c06694a8178f2788 408149b5235c3912 c08b6d476b5bc1e0 c0647b683439f690 "
            "407ed486162b7c6c c08c00c9bd02a399 c082ba3727fbcbe0 4088a0e1a9db65fc "
            "40650bd5f36c9078 40841f0d957fd01c c065f1f55cda8b58 4086be19271530b0 "
        ),
    },
    "atan": {
        "float32": (
            "41119a2c c0a5b1c3 c0af3639 40e15fbe 3f04a6df c0db1254 c113d082 c16254da "
            "3fad3323 409b50bd 40d018b0 402b463c "
        ),
        "float64": (
            "c02732da912a7300 c026740b552bdd70 c0271b058e5c2782 4008b985fdb30460 "
            "c02ad51d8d0fd490 c022f7414fa99abe c0272402c0fab018 c033568e680adcd2 "
            "40266d170e322142 400bcd7f8ae066a0 4024a4e3c6edbe56 c01caf6e00927b54 "
        ),
    },
    "atanh": {
        "float32": (
            "bf268c34 bf412fe7 3d487543 3ea019a4 3f2df4fc be9eec3f 3f6712c5 3f533501 "
            "3ea94d53 be1cfc9e bf7e7126 bd87eb2b "
        ),
        "float64": (
            "bfea347abe4906ae 3fe524179897deb8 bfb82f625e508020 bfd6e0c58d19b1f4 "
            "3feb60ed43cfbaa8 bfe37f654bd9d128 bfea9db17cbe3c90 bfcd889feaf413c8 "
            "bfdbe35547d029ac bfed607f77fbdec4 bfc44d03f00e8a48 bfdd424a95114e08 "
        ),
    },
    "cos": {
        "float32": (
            "42378db8 420c1d0c c2216e1b 420dc632 c0b6e6e1 c1b3a984 c12e1e5b 40a6a802 "
            "414297e7 41aa028e c207df6d 41e55648 "
        ),
        "float64": (
            "403b80c6246f4484 c03cdfd4ad63baea 4045acda9cc7047a 403309f44dd3248c "
            "c045654d4c8defe0 403199fdd1d874a4 4047841e5ad32796 40380787b7644414 "
            "c048eb41b453c87c c03b7e4265bc3b8d c0471afb58a907ed c01027e6aa0a6210 "
        ),
    },
    "cosh": {
        "float32": (
            "41e3cd1b 420376bb 4228fddd c13c1bf5 423757ee 4214cb36 416d8335 c244f0d5 "
            "c201727a 4148ec35 be7b2ef7 42109c75 "
        ),
        "float64": (
            "4045d56a92e0d406 40494846320d2624 40501d4e9e9b0934 c0261556e4597660 "
            "40531ea7b248dc8e c03a20134d154474 401cbebea8df1540 404045fd3f2ac498 "
            "c034c12bf0bbb028 c01850657388bc50 401469e98864aa50 404e468b258c7238 "
        ),
    },
    "elu": {
        "float32": (
            "bf2e594e c11899e3 c1157133 c1266f03 bb91a57f c1339e31 bdfca929 c15d5093 "
            "c016da00 c10b5884 c1271b6a c14fc20b "
        ),
        "float64": (
            "c01e4ee3150f1188 c0179d8344d5cc54 c0261df419028a49 c0019b47173f67e0 "
            "c02449714a27ffea c003aa58bfa6f92c c0095c0b4890ee88 c011612a6145d6f2 "
            "c02bb717f6bfdad0 c01ac74bc2667fcc c00fd82cd1f91904 c008ecb38e55b8d4 "
        ),
    },
    "erf": {
        "float32": (
            "402b05f5 c03be342 3e6dbf0d 405d84c4 405b26b1 bf923401 403112f0 4045c2e5 "
            "3dab4602 c03adecc be9f0b33 bfd4a06d "
        ),
        "float64": (
            "c00b2521c0b4dd00 400424d9a423102a bfd52505fa851c20 bff40f7ed56b3634 "
            "bfe80bddeb5fd4e0 c00bba4b971d5082 3ff6ad2400324348 c002e7f70a576722 "
            "c007abb53219cd5e c002d2a35caf2e58 c00502e2a7a619c9 40022ebb41b7ede8 "
        ),
    },
    "exp": {
        "float32": (
            "41cc06c3 4222bad4 41fabac3 c25e54b3 4255e29a c2544c70 41ff80d6 c1c9fb10 "
            "42366692 4192c6d2 c244370d c29471bf "
        ),
        "float64": (
            "402bfd29cf00af48 4023c045151bf608 c052987505a18890 404b926722894940 "
            "c04fbcb6cd224718 404f9b39db431ac0 40452d686fe401ac c00bbdf002d01c60 "
            "404b42b4a00fe764 40496c7c300e4338 4041e59bf0104886 40397afe9d84d0c0 "
        ),
    },
    "gelu": {
        "float32": (
            "c09f7c81 bfbffbd1 3e128b45 408da3f6 c084116f 3f42c9d8 408d5228 bf5ce11b "
            "c027e39e c090b6ab 408b6470 c001e310 "
        ),
        "float64": (
            "c00477083c08add6 bfd9012c24bd81f0 40129543e2a15c64 40120e41ff6fcd62 "
            "400a3aef6070aae0 3facb6e01cb6ff00 c000d0d7d0e89426 bfdc1dda28bc7040 "
            "c00a914bebccacd2 c011695e524d6fba bfea2893b8640768 40010d47ed6fe3dc "
        ),
    },
    "gelu_by_tanh": {
        "float32": (
            "c0293089 c031f50d 409fcff7 c0045a2a c06314df 3f118f7d befb4523 bf83ee85 "
            "401e9801 c0367806 4041dea9 409fcff1 "
        ),
        "float64": (
            "c011b659ba8237e1 3ffe00ed3e54d76c c00524d4a1414090 c00a56c01b0936fb "
            "40138b42ea70afa8 c000b4a83d827576 3fe9b01a4ff82128 4008ac34c9cafa14 "
            "4011da3a461167be c0128eece89e08e4 c00eba716ba52a0a c00149dc918623e2 "
        ),
    },
    "log": {
        "float32": (
            "46b0d783 3d2dffdd 5fa977d1 4289c81c 3cb19bb1 622ba726 21f41c1b 2d1b81a5 "
            "5fad79c1 19102238 36a0f86d 4d428556 "
        ),
        "float64": (
            "3e7ffb16aa1eb2b8 3f00ebe6f3eec7b4 3b054807b4970cf1 3c2cc9bf2008bc76 "
            "3ecf50000cefdc7f 461a7ac86f7f91e2 3d83d657927beedf 3f1d3aa1b27968c2 "
            "3c65c7b50498ff80 4117e1225ec54ea4 425e5d428939fc1a 3faa78d0bd5c2c25 "
        ),
    },
    "mish": {
        "float32": (
            "40c3039c 408aed13 c07aa653 c143b1d8 c0db1f38 c197e90e 40c7f78d bfda0c98 "
            "be42c768 c0f65347 c015ca1f 405a151d "
        ),
        "float64": (
            "c01d6a1d81048ee2 c03278dc33690384 c02d0345ec215dfe 40161a00636ad7fc "
            "c02a3a221dc3413c 400ad1a19c5eee68 c01834bb0dfb772c c0333d57a8479eea "
            "bff6f2e21b51cf90 401b80817e89c6f0 c02720c41bf05784 4016ca0be8bf1f9c "
        ),
    },
    "reciprocal": {
        "float32": (
            "3fde86a9 3fad1367 3fa24cf7 3f92abab 3f90ce81 3f80f686 3fe38e40 3fdb413e "
            "3ffffff7 3fb76f40 3f8948cf 3fef7a4b "
        ),
        "float64": (
            "3ffe41854ed97656 3ff9ce966aeca920 3ffed84db05c0eb0 3ffdd0bba1fd0dea "
            "3ff57b69f4646292 3ff898d3a7ced53e 3ff1b77884b5662a 3ff75a9c605f7e1e "
            "3ff31eed61775e63 3ffbdf4e3effeeb8 3ffb261df9da461f 3ff1109ae46190e0 "
        ),
    },
    "selu": {
        "float32": (
            "c13911b6 c0dbb987 c17f3acb c0f02e7b c085d2b0 c12eaa61 c145225b c0b518e4 "
            "c0f01d54 bfbe2e52 c0b208bb c142de61 "
        ),
        "float64": (
            "c02eec048f410079 c0214207ff251207 c01df03a140931ae bfba48434b48eb00 "
            "c005ab96b95adfbc c01ae7eb2b196c02 c023a2be991345c5 c02399bdb38a598e "
            "c013c09656c92230 c017bf78a7fe8dcc c021f42184d0c181 c02b176ced2390d8 "
        ),
    },
    "sigmoid": {
        "float32": (
            "c0a99032 c14e1b83 c1367c03 416625d9 c0f8bf98 417b8205 3d3b673e c14e6a75 "
            "4116fa76 c18ce887 c0da513c 41380aef "
        ),
        "float64": (
            "c031bb40db44cb78 4018c3d452d3cdc8 c00b71b3110cf448 c01a42cd413a65ec "
            "c0278380b8bcd272 4027c5f481653540 c024218856c6cebf 402f090dd6c22764 "
            "4024cc3ba354402e 400c269497402d60 c01b17823f8c1a6a 401447fa33a21d60 "
        ),
    },
    "sin": {
        "float32": (
            "405bd67a c21eb367 41e46fd6 4202160f c2320cc0 c1a5cf5c 422ff123 c19cdc38 "
            "405820f4 c1bc8a0e c0d526ce c235bd21 "
        ),
        "float64": (
            "c00b27e2dcf73fc0 4046b0f88b44d164 c02e186bad878800 4043088e3280cc04 "
            "40325e0afead78d4 402d11dc1b54f430 403b6672e7a73ddc c04615cf0e312565 "
            "401bd9a7b5cc65d8 c037efa20a461bee c034f9ef0858486a c04661eed59975da "
        ),
    },
    "sinh": {
        "float32": (
            "42940fd7 41066f15 c1039a0c 4117c5cb c226b4b1 4295d202 c2531c9d c19347fe "
            "c27ec9a9 42836a50 426ed71f 4287361e "
        ),
        "float64": (
            "403ba5f6fd07e5e4 c051bb4618a90ace c01a72bfb1c1f690 c018cca85a2960b0 "
            "c03cd95416bc3b98 c053a74621a1aeb8 4037312d9d66c2c4 c04de9f76643156a "
            "40389af50e4f6fa0 40507bb7cd41eee0 c050e8cd00629bf0 404fa970237c6128 "
        ),
    },
    "softplus": {
        "float32": (
            "c095f1ac c1478231 c187a17b 414f257e c116920f bfdf3c94 c0dd3efb 403c63e1 "
            "4168e5a7 409a9344 c0c51eae c1613344 "
        ),
        "float64": (
            "402e8b804ddb5b30 402755c4f85e3536 4028646bc64c234c bfd5c70d8c7fc6c0 "
            "401741b50c4d6288 c02db50a96d361be c023635e2666f25e c0326ed8285b4f0b "
            "40233fe4233e4b92 c02864e3fa282532 bffc8119517afd40 402f2d2dc57a0d84 "
        ),
    },
    "sqrt": {
        "float32": (
            "407ffff5 404d91ec 3f800009 407ffff1 3fe5064e 4017be8d 4061a955 3fc7936e "
            "40322206 40042c81 40368e06 407f3850 "
        ),
        "float64": (
            "4005694ff9696d41 3ffb1e61ae960fc8 4008fe94519ec452 3ffe81e88d4c16b6 "
            "400f7c7fa82d0ac0 400c29ea9de8d3c8 400dc81940fce65a 400676d6cd521e1a "
            "40048fffdd26c014 4009cb37a8cc6c46 40095a0bae818ac4 400b30635f91dd67 "
        ),
    },
    "swish": {
        "float32": (
            "c02b4b3a c16dc130 c07cc797 be0e98f2 c19b51b6 c16e6873 4130daf5 400876a1 "
            "c18dd22d c1479837 414e0a14 416ad6d8 "
        ),
        "float64": (
            "c002f06dab0b5250 4029102133748080 c03056ad9464afcb c006f84d346e88c0 "
            "400e67568549d0c0 c032f3ad416ab547 bff99a44ab6c8670 c022559258ee08d6 "
            "c00460a56beb4c10 40210ee6b2f0efbc 40274d2a8ce133ee c01697cbd0b8912a "
        ),
    },
    "tan": {
        "float32": (
            "c19994b8 41cd6e14 c1987585 41e84c6d c22e56df 40f6419a c1eb29a5 c0d95e13 "
            "c1a3d835 c216f5a6 c1c9eae2 41f932ea "
        ),
        "float64": (
            "c04525381a096f59 c034e854b0b364ab c02c987d5021ef50 c032c00c5797a4d6 "
            "c045523918b68f02 4030d6740b3102f0 4017445b84665358 c0409bb22822b7e6 "
            "4046f564e563a746 c03174c2feeb39ca 402b668f3ec3665c c0438111ef5462fd "
        ),
    },
    "tanh": {
        "float32": (
            "408fd0b8 c0c712d0 c0363efb c0c8b9cb 40c352b4 bf55ba12 c0061215 c099792f "
            "401f2b44 40abd8c2 c0796905 408e0fe1 "
        ),
        "float64": (
            "400268b3d07f8084 4018d92de7342f76 c01fb48824d04bee 401500436f33ff52 "
            "c0180b7267a66874 c004439f594f67d8 401c9ce577271532 c014705df38031c8 "
            "c00990ebaa6faf38 c008b09a1426f250 bffbc3638e64e530 bff1edaa848e6040 "
        ),
    },
}
