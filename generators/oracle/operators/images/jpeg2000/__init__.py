"""JPEG 2000 codestreams: ITU-T T.800, what is coded without loss. Only decoding comes in here."""
