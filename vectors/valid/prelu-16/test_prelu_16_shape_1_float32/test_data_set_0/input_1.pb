BslopeJ=O
@