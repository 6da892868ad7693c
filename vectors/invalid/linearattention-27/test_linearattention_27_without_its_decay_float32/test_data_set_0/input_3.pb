B
past_stateJ0_t¾rYÛ¿ÇdÀôpÀpd?	,Àø‚ø¾ën¿ßãWÀM™&ÀÊé¤?ìL¿