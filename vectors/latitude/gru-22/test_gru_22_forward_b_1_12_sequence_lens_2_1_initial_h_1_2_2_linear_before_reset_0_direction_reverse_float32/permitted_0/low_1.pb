BY_hJK
L¿h²U¿~=B¿gU¿