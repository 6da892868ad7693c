import time

from well_behaved import serve

serve()
time.sleep(1000)
