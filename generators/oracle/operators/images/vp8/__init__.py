"""Key frames of VP8, the pictures of lossy WebP. Source: RFC 6386.

May come in: what the RFC says of key frames.
May not: containers, colours, and how chroma is made as large as luma, which it does not say.
"""
