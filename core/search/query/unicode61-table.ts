// Made by scripts/unicode61-table.mjs from SQLite 3.54.1. Do not edit. Numbers are in base 36.

/** Lengths of ranges of code points from 0: outside tokens, in tokens, outside, … */
export const RANGES =
  '1c a 7 q 6 q 1b 1 7 2 1 1 3 2 1 3 1 n 1 v 1 cq 4 c e 5 7 1 1 1 3l 5 1 8 1 5 2 1 1 32 1 3v 8 5s 6 15 2 4 1 1 ' +
  '1j 17 2 b 5 1 m 2 2 17 l a 4 2 1 2r 1 1 f 2 7 f 2 1 e 1 1 1 1 u r 2j b 1m 9 2 4 s 4 1 9 1 3 1 5 2 f q 3 2 1 ' +
  '3p r 1 4 1i 3 1 i 1 7 a 4 a 1 g 3 1k 1 1 7 2 2 2 3 9 1 a 2 e 2 6 2 5 3 1k 1 1 5 4 2 2 3 3 1 u 2 3 1 b 3 1k 1' +
  ' 1 8 1 3 1 3 k 2 c 2 f 3 1k 1 1 7 2 2 2 3 8 2 a 2 c 1 h 1 1n 5 3 3 1 4 9 1 r 8 6 3 1m 7 1 3 1 4 7 2 b 2 r 1 ' +
  '2 2 1k 1 1 7 1 3 1 4 7 2 b 2 u 2 1m 7 1 3 1 4 9 1 a 2 l 1 8 2 1y 1 4 6 1 1 1 8 i 3 1o 1 2 7 4 1 7 9 a 2 2d 1' +
  ' 2 6 1 2 b 6 1f v k c 1d n 5 b 1 10 1 f 1 d 28 k b 6 6 4 4 3 1 3 2 7 3 4 d c 1 1 a 6 2j 1 gx c 13 a 2u 1 h8 ' +
  '2 h 1 q 2 26 3 10 3 t 5 r 2 u 2 1s z 1 4 1 1 y f 4a 1 3a c 4 c 4 1 3 2 2y h 7 2 k y n 5 2 2 1h a 1 t 2 1 w 7' +
  ' 1 6 2a 5 1b h l z 3 3 u d 1k e 8 4 10 k 3 5 1q 2 1s 8 8 p 4 1 4 3 5n 13 l 4 cd 1 1 3 b 3 d 3 d 3 d 2 1 2t 5' +
  ' 6 a 5 b 5 h q m x f 2 1 4 1 2 a 1 1 3 5 6 1 1 1 1 1 1 4 1 b 2 4 5 5 4 1 1 1s h0 c 13 p b 29 26 m e8 1 39 u ' +
  'qh 3 a az 6 4 3 7 4 1 2 34 1 e 1 2o 27 1 c 1w q 1 2h c 5y q c 4 5 3 p 9 7 5 2 5 3 2h 4 3 1 2i 1 44 2 4 a w 1' +
  '0 s v b u 8 1 f w a 13 f 1r 1 74 534 1s h3k 1j 1j 2 7h 3 2n g w 1 28 8 8 n 9 2 2v 2 3b 1 3 1 4 1 n 9 a 4 1m ' +
  '4 8 2 1e h 9 2 g i 6 3 17 a n d b 1 w 4 1b r g 2 21 e c 1 8 2 e 4 n 3 1 1 1g 1 1 3 2 2 5 2 1 1 s 2 b 7 3 2 6' +
  'k b 8pe 1kw 5cu 1 a 1 3s g ak 2 58 2 2 q 6 7 9 z 1 j 1 4 43 1 1 f a 7 q 6 q b 3e 7 1 7 a 7 74 3 1g 9 1l h 6 ' +
  'c 1g 1a bl 1 1c 1 w6 1 5j 1 v 1 5d 3 1 2 5 4 14 3 4 1 g 9 12 1 55 7 xs 3 1h m 1e 3 19 i 1q 3 10 e b 4 1o 3 1' +
  'c e 4 4 yq d 2pk 4 esd 1a g 4 j1p 6u a 13 2 51 y 1y 56 2f oa 1 p 1 v 1 p 1 v 1 p 1 v 1 p 1 v 1 p 1 4ks 2 7i ' +
  '18 4 2s c f 2 e 2 f 1 f 1c v 1 1o 4 17 23 t d 17 5 9 7 2 4u x f 6 1 1y 3 k c 11 1 5 l h f 1r 1 1 1 52 1 4 3 ' +
  '1q 2 4 c o 43 1y 4 b 1c 1y 1m 38 gwi5 1 u 2o 3k 6o 47bk'

/** Code points that are dropped inside a token. */
export const MARKS = 'lc ld le lf lg li lj lk ll lm ln lo lr lt m3 mb mc md me mf mg ml mm mo mp'

/** Letters that have a small form: first, count, step, difference. */
export const CASE_FOLDS =
  '1t q 1 w,51 1 1 lj,5c n 1 w,60 7 1 w,74 o 2 1,8i 3 2 1,8p 8 2 1,96 n 2 1,ag 1 1 -3d,ah 3 2 1,an 1 1 -7g,ap 1' +
  ' 1 5u,aq 2 2 1,au 1 1 5q,av 1 1 1,ax 2 1 5p,az 1 1 1,b2 1 1 27,b3 1 1 5m,b4 1 1 5n,b5 1 1 1,b7 1 1 5p,b8 1 1' +
  ' 5r,ba 1 1 5v,bb 1 1 5t,bc 1 1 1,bg 1 1 5v,bh 1 1 5x,bj 1 1 5y,bk 3 2 1,bq 1 1 62,br 1 1 1,bt 1 1 62,bw 1 1 ' +
  '1,by 1 1 62,bz 1 1 1,c1 2 1 61,c3 2 2 1,c7 1 1 63,c8 1 1 1,cc 1 1 1,ck 1 1 2,cl 1 1 1,cn 1 1 2,co 1 1 1,cq 1' +
  ' 1 2,cr 9 2 1,da 9 2 1,dt 1 1 2,du 2 2 1,dy 1 1 -2p,dz 1 1 -1k,e0 k 2 1,f4 1 1 -3m,f6 9 2 1,fu 1 1 8bv,fv 1 ' +
  '1 1,fx 1 1 -4j,fy 1 1 8bs,g1 1 1 1,g3 1 1 -5f,g4 1 1 1x,g5 1 1 1z,g6 5 2 1,n9 1 1 38,og 2 2 1,om 1 1 1,p2 1 ' +
  '1 12,p4 3 1 11,p8 1 1 1s,pa 2 1 1r,pd h 1 w,pv 9 1 w,qq 1 1 1,r3 1 1 8,r4 1 1 -u,r5 1 1 -p,r9 1 1 -f,ra 1 1 ' +
  '-m,rc c 2 1,s0 1 1 -1i,s1 1 1 -1c,s4 1 1 -1o,s5 1 1 -1s,s7 1 1 1,s9 1 1 -7,sa 1 1 1,sd 3 1 -3m,sg g 1 28,sw ' +
  'w 1 w,v4 h 2 1,wa r 2 1,xs 1 1 f,xt 7 2 1,y8 18 2 1,10x 12 1 1c,3a8 12 1 5ls,3bb 1 1 5ls,3bh 1 1 5ls,5xc 23 ' +
  '2 1,61n 1 1 -1m,61q 1 1 -5vj,61s 1c 2 1,64o 8 1 -8,654 6 1 -8,65k 8 1 -8,660 8 1 -8,66g 6 1 -8,66x 4 2 -8,67' +
  'c 8 1 -8,688 8 1 -8,68o 8 1 -8,694 8 1 -8,69k 2 1 -8,69m 2 1 -22,69o 1 1 -9,69q 1 1 -5j9,6a0 4 1 -2e,6a4 1 1' +
  ' -9,6ag 2 1 -8,6ai 2 1 -2s,6aw 2 1 -8,6ay 2 1 -34,6b0 1 1 -7,6bc 2 1 -3k,6be 2 1 -3i,6bg 1 1 -9,6jq 1 1 -5st' +
  ',6ju 1 1 -6gv,6jv 1 1 -6di,6k2 1 1 s,6lc g 1 g,6mb 1 1 1,792 q 1 q,8ow 1b 1 1c,8rk 1 1 1,8rm 1 1 -8af,8rn 1 ' +
  '1 -2xy,8ro 1 1 -89z,8rr 3 2 1,8rx 1 1 -8bg,8ry 1 1 -8al,8rz 1 1 -8bj,8s0 1 1 -8bi,8s2 1 1 1,8s5 1 1 1,8se 2 ' +
  '1 -8cf,8sg 1e 2 1,8vf 2 2 1,8vm 1 1 1,wu8 n 2 1,ww0 c 2 1,x0i 7 2 1,x0y v 2 1,x2x 2 2 1,x31 1 1 -r9g,x32 5 2' +
  ' 1,x3f 1 1 1,x3h 1 1 -wmg,x3k 2 2 1,x40 5 2 1,x4a 1 1 -wn8,1ee9 q 1 w,1eke 1 1 -1,1ekf 1 1 -2,1fcw 14 1 14'

/** A base letter and the small letters that become it when they lose their diacritic. */
export const BASE_LETTERS =
  '2p 68 69 6a 6b 6c 6d 75 77 79 cu db e3 e9 eb fb 5xd 61t 61v 61x 61z 621 623 625 627 629 62b 62d 62f,2r 6f 7b' +
  ' 7d 7f 7h 5xl,2t 6g 6h 6i 6j 7n 7p 7r 7t 7v ed ef fd 5xx 5xz 5y1 5y3 5y5 62h 62j 62l 62n 62p 62r 62t 62v,2x ' +
  '6k 6l 6m 6n 89 8b 8d 8f 8g cw eh ej 5yl 5yn 62x 62z,32 6p 90 92 94 e1 5z9 5zb 5zd 5zf,33 6q 6r 6s 6t 6u 99 9' +
  'b 9d bl cy dn dp el en ff fh fj fl 5zh 5zj 5zl 5zn 631 633 635 637 639 63b 63d 63f 63h 63j 63l 63n,39 6x 6y ' +
  '6z 70 a1 a3 a5 a7 a9 ab c0 d0 d2 d4 d6 d8 et ev 60j 60l 60n 60p 60r 63p 63r 63t 63v 63x 63z 641,3d 71 73 af ' +
  'fn 61b 61l 643 645 647 649,2s 7j 5xn 5xp 5xr 5xt 5xv,2v 7x 7z 81 83 dj dx 5y9,2w 85 f3 5yb 5yd 5yf 5yh 5yj 6' +
  '1i,2y 8l ds,2z 8n dl 5yp 5yr 5yt,30 8q 8s 8u 5yv 5yx 5yz 5z1,36 9h 9j 9l ep er 5zt 5zv 5zx 5zz,37 9n 9p 9r 9' +
  't ex 601 603 605 607 609,38 9v 9x ez 60b 60d 60f 60h 61j,3b ad 60x 60z 611 613 615 61k,3e ai ak am 61d 61f 6' +
  '1h,2q 5xf 5xh 5xj,2u 5y7,31 5z3 5z5 5z7,34 5zp 5zr,3a 60t 60v,3c 617 619'
