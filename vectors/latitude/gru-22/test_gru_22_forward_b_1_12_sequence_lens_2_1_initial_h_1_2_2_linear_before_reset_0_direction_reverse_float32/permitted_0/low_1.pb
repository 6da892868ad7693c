BY_hJD
L¿W²U¿z=B¿`U¿