"""JPEG 2000, written without loss. Source: ITU-T T.800. Only encoding comes in here."""
