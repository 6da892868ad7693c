"""JPEG 2000 codestreams, what is coded without loss. Source: ITU-T T.800.

May come in: what the document says of decoding.
May not: encoding, and streams of which it lets a decoder make one image or another.
"""
