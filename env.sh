export E3=
