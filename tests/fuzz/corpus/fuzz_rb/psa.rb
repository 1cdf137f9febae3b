made for the tests of spmm                                              psa     
             2             1             1             0
psa                        9             9            11             0
(13I6)          (13I6)                              
     1     4     6     7     8    10    11    12    12    12
     7     8     9     3     8     8     6     7     8     9     8
