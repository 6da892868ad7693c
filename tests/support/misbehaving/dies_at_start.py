import sys

sys.stderr.write("loading\n")
sys.exit("ImportError: librt.so.9: cannot open shared object file")
