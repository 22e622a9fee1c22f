// Unicode 16.0.0: simple titlecase mappings. Written by scripts/make-text-tables.ts; do not edit.
export const titlecase = `
2p,1t 1,1u 1,1v 1,1w 1,1x 1,1y 1,1z 1,20 1,21 1,22 1,23 1,24 1,25 1,26 1,27 1,28 1,29 1,2a 1,2b
1,2c 1,2d 1,2e 1,2f 1,2g 1,2h 1,2i 1n,po 17,5c 1,5d 1,5e 1,5f 1,5g 1,5h 1,5i 1,5j 1,5k 1,5l 1,5m
1,5n 1,5o 1,5p 1,5q 1,5r 1,5s 1,5t 1,5u 1,5v 1,5w 1,5x 1,5y 2,60 1,61 1,62 1,63 1,64 1,65 1,66
1,ag 2,74 2,76 2,78 2,7a 2,7c 2,7e 2,7g 2,7i 2,7k 2,7m 2,7o 2,7q 2,7s 2,7u 2,7w 2,7y 2,80 2,82
2,84 2,86 2,88 2,8a 2,8c 2,8e 2,21 2,8i 2,8k 2,8m 3,8p 2,8r 2,8t 2,8v 2,8x 2,8z 2,91 2,93 3,96
2,98 2,9a 2,9c 2,9e 2,9g 2,9i 2,9k 2,9m 2,9o 2,9q 2,9s 2,9u 2,9w 2,9y 2,a0 2,a2 2,a4 2,a6 2,a8
2,aa 2,ac 2,ae 3,ah 2,aj 2,al 1,2b 1,g3 3,aq 2,as 3,av 4,az 6,b5 3,dy 4,bc 1,fx 1,x5o 3,f4 3,bk
2,bm 2,bo 3,br 5,bw 3,bz 4,c3 2,c5 3,c8 4,cc 2,dz 5,cl 1,cl 1,cl 1,co 1,co 1,co 1,cr 1,cr 1,cr
2,ct 2,cv 2,cx 2,cz 2,d1 2,d3 2,d5 2,d7 1,b2 2,da 2,dc 2,de 2,dg 2,di 2,dk 2,dm 2,do 2,dq 2,du
1,du 1,du 2,dw 4,e0 2,e2 2,e4 2,e6 2,e8 2,ea 2,ec 2,ee 2,eg 2,ei 2,ek 2,em 2,eo 2,eq 2,es 2,eu
2,ew 2,ey 2,f0 2,f2 4,f6 2,f8 2,fa 2,fc 2,fe 2,fg 2,fi 2,fk 2,fm 9,fv 3,8se 1,8sf 2,g1 5,g6 2,g8
2,ga 2,gc 2,ge 1,8rz 1,8rx 1,8s0 1,ap 1,au 2,ax 1,ay 2,b3 2,b4 1,x4b 4,b7 1,x4c 2,b8 1,x57 1,x3h
1,x4a 2,bb 1,ba 1,x4e 1,8rm 1,x4d 3,bg 2,8ry 1,bh 3,bj 8,8ro 3,bq 2,x51 1,bt 4,x4h 1,by 1,g4 1,c1
1,c2 1,g5 6,c7 b,x4i 1,x4g 4n,pl 18,og 2,oi 4,om 4,sd 1,se 1,sf 1b,p2 1,p4 1,p5 1,p6 2,pd 1,pe
1,pf 1,pg 1,ph 1,pi 1,pj 1,pk 1,pl 1,pm 1,pn 1,po 1,pp 1,pq 1,pr 1,ps 1,pt 1,pv 1,pv 1,pw 1,px
1,py 1,pz 1,q0 1,q1 1,q2 1,q3 1,p8 1,pa 1,pb 2,pe 1,pk 4,py 1,ps 1,r3 2,rc 2,re 2,rg 2,ri 2,rk
2,rm 2,ro 2,rq 2,rs 2,ru 2,rw 2,ry 1,pm 1,pt 1,s9 1,ov 2,ph 3,s7 3,sa 1h,sw 1,sx 1,sy 1,sz 1,t0
1,t1 1,t2 1,t3 1,t4 1,t5 1,t6 1,t7 1,t8 1,t9 1,ta 1,tb 1,tc 1,td 1,te 1,tf 1,tg 1,th 1,ti 1,tj
1,tk 1,tl 1,tm 1,tn 1,to 1,tp 1,tq 1,tr 1,sg 1,sh 1,si 1,sj 1,sk 1,sl 1,sm 1,sn 1,so 1,sp 1,sq
1,sr 1,ss 1,st 1,su 1,sv 2,v4 2,v6 2,v8 2,va 2,vc 2,ve 2,vg 2,vi 2,vk 2,vm 2,vo 2,vq 2,vs 2,vu
2,vw 2,vy 2,w0 a,wa 2,wc 2,we 2,wg 2,wi 2,wk 2,wm 2,wo 2,wq 2,ws 2,wu 2,ww 2,wy 2,x0 2,x2 2,x4
2,x6 2,x8 2,xa 2,xc 2,xe 2,xg 2,xi 2,xk 2,xm 2,xo 2,xq 3,xt 2,xv 2,xx 2,xz 2,y1 2,y3 2,y5 1,xs
2,y8 2,ya 2,yc 2,ye 2,yg 2,yi 2,yk 2,ym 2,yo 2,yq 2,ys 2,yu 2,yw 2,yy 2,z0 2,z2 2,z4 2,z6 2,z8
2,za 2,zc 2,ze 2,zg 2,zi 2,zk 2,zm 2,zo 2,zq 2,zs 2,zu 2,zw 2,zy 2,100 2,102 2,104 2,106 2,108
2,10a 2,10c 2,10e 2,10g 2,10i 2,10k 2,10m 2,10o 2,10q 2,10s 2,10u 1e,10x 1,10y 1,10z 1,110 1,111
1,112 1,113 1,114 1,115 1,116 1,117 1,118 1,119 1,11a 1,11b 1,11c 1,11d 1,11e 1,11f 1,11g 1,11h
1,11i 1,11j 1,11k 1,11l 1,11m 1,11n 1,11o 1,11p 1,11q 1,11r 1,11s 1,11t 1,11u 1,11v 1,11w 1,11x
1,11y 28a,3bk 1,3bl 1,3bm 1,3bn 1,3bo 1,3bp 1,3bq 1,3br 1,3bs 1,3bt 1,3bu 1,3bv 1,3bw 1,3bx 1,3by
1,3bz 1,3c0 1,3c1 1,3c2 1,3c3 1,3c4 1,3c5 1,3c6 1,3c7 1,3c8 1,3c9 1,3ca 1,3cb 1,3cc 1,3cd 1,3ce
1,3cf 1,3cg 1,3ch 1,3ci 1,3cj 1,3ck 1,3cl 1,3cm 1,3cn 1,3co 1,3cp 1,3cq 3,3ct 1,3cu 1,3cv l5,3xs
1,3xt 1,3xu 1,3xv 1,3xw 1,3xx 1oj,sy 1,t0 1,ta 1,td 1,te 1,te 1,tm 1,v6 1,wui 2,5mx 6n,x31 4,8rn
h,x52 37,5xc 2,5xe 2,5xg 2,5xi 2,5xk 2,5xm 2,5xo 2,5xq 2,5xs 2,5xu 2,5xw 2,5xy 2,5y0 2,5y2 2,5y4
2,5y6 2,5y8 2,5ya 2,5yc 2,5ye 2,5yg 2,5yi 2,5yk 2,5ym 2,5yo 2,5yq 2,5ys 2,5yu 2,5yw 2,5yy 2,5z0
2,5z2 2,5z4 2,5z6 2,5z8 2,5za 2,5zc 2,5ze 2,5zg 2,5zi 2,5zk 2,5zm 2,5zo 2,5zq 2,5zs 2,5zu 2,5zw
2,5zy 2,600 2,602 2,604 2,606 2,608 2,60a 2,60c 2,60e 2,60g 2,60i 2,60k 2,60m 2,60o 2,60q 2,60s
2,60u 2,60w 2,60y 2,610 2,612 2,614 2,616 2,618 2,61a 2,61c 2,61e 2,61g 6,600 6,61s 2,61u 2,61w
2,61y 2,620 2,622 2,624 2,626 2,628 2,62a 2,62c 2,62e 2,62g 2,62i 2,62k 2,62m 2,62o 2,62q 2,62s
2,62u 2,62w 2,62y 2,630 2,632 2,634 2,636 2,638 2,63a 2,63c 2,63e 2,63g 2,63i 2,63k 2,63m 2,63o
2,63q 2,63s 2,63u 2,63w 2,63y 2,640 2,642 2,644 2,646 2,648 2,64a 2,64c 2,64e 1,64o 1,64p 1,64q
1,64r 1,64s 1,64t 1,64u 1,64v 9,654 1,655 1,656 1,657 1,658 1,659 b,65k 1,65l 1,65m 1,65n 1,65o
1,65p 1,65q 1,65r 9,660 1,661 1,662 1,663 1,664 1,665 1,666 1,667 9,66g 1,66h 1,66i 1,66j 1,66k
1,66l c,66x 2,66z 2,671 2,673 9,67c 1,67d 1,67e 1,67f 1,67g 1,67h 1,67i 1,67j 9,69m 1,69n 1,6a0
1,6a1 1,6a2 1,6a3 1,6ai 1,6aj 1,6bc 1,6bd 1,6ay 1,6az 1,6be 1,6bf 3,688 1,689 1,68a 1,68b 1,68c
1,68d 1,68e 1,68f 9,68o 1,68p 1,68q 1,68r 1,68s 1,68t 1,68u 1,68v 9,694 1,695 1,696 1,697 1,698
1,699 1,69a 1,69b 9,69k 1,69l 2,69o b,pl 5,6a4 d,6ag 1,6ah f,6aw 1,6ax 4,6b0 e,6bg 9n,6k2 y,6lc
1,6ld 1,6le 1,6lf 1,6lg 1,6lh 1,6li 1,6lj 1,6lk 1,6ll 1,6lm 1,6ln 1,6lo 1,6lp 1,6lq 1,6lr 5,6mb
ng,792 1,793 1,794 1,795 1,796 1,797 1,798 1,799 1,79a 1,79b 1,79c 1,79d 1,79e 1,79f 1,79g 1,79h
1,79i 1,79j 1,79k 1,79l 1,79m 1,79n 1,79o 1,79p 1,79q 1,79r 1fr,8ow 1,8ox 1,8oy 1,8oz 1,8p0 1,8p1
1,8p2 1,8p3 1,8p4 1,8p5 1,8p6 1,8p7 1,8p8 1,8p9 1,8pa 1,8pb 1,8pc 1,8pd 1,8pe 1,8pf 1,8pg 1,8ph
1,8pi 1,8pj 1,8pk 1,8pl 1,8pm 1,8pn 1,8po 1,8pp 1,8pq 1,8pr 1,8ps 1,8pt 1,8pu 1,8pv 1,8pw 1,8px
1,8py 1,8pz 1,8q0 1,8q1 1,8q2 1,8q3 1,8q4 1,8q5 1,8q6 1,8q7 2,8rk 4,fu 1,fy 2,8rr 2,8rt 2,8rv
7,8s2 3,8s5 b,8sg 2,8si 2,8sk 2,8sm 2,8so 2,8sq 2,8ss 2,8su 2,8sw 2,8sy 2,8t0 2,8t2 2,8t4 2,8t6
2,8t8 2,8ta 2,8tc 2,8te 2,8tg 2,8ti 2,8tk 2,8tm 2,8to 2,8tq 2,8ts 2,8tu 2,8tw 2,8ty 2,8u0 2,8u2
2,8u4 2,8u6 2,8u8 2,8ua 2,8uc 2,8ue 2,8ug 2,8ui 2,8uk 2,8um 2,8uo 2,8uq 2,8us 2,8uu 2,8uw 2,8uy
2,8v0 2,8v2 2,8v4 2,8v6 9,8vf 2,8vh 5,8vm d,3a8 1,3a9 1,3aa 1,3ab 1,3ac 1,3ad 1,3ae 1,3af 1,3ag
1,3ah 1,3ai 1,3aj 1,3ak 1,3al 1,3am 1,3an 1,3ao 1,3ap 1,3aq 1,3ar 1,3as 1,3at 1,3au 1,3av 1,3aw
1,3ax 1,3ay 1,3az 1,3b0 1,3b1 1,3b2 1,3b3 1,3b4 1,3b5 1,3b6 1,3b7 1,3b8 1,3b9 2,3bb 6,3bh nx0,wu8
2,wua 2,wuc 2,wue 2,wug 2,wui 2,wuk 2,wum 2,wuo 2,wuq 2,wus 2,wuu 2,wuw 2,wuy 2,wv0 2,wv2 2,wv4
2,wv6 2,wv8 2,wva 2,wvc 2,wve 2,wvg k,ww0 2,ww2 2,ww4 2,ww6 2,ww8 2,wwa 2,wwc 2,wwe 2,wwg 2,wwi
2,wwk 2,wwm 2,wwo 2,wwq 3s,x0i 2,x0k 2,x0m 2,x0o 2,x0q 2,x0s 2,x0u 4,x0y 2,x10 2,x12 2,x14 2,x16
2,x18 2,x1a 2,x1c 2,x1e 2,x1g 2,x1i 2,x1k 2,x1m 2,x1o 2,x1q 2,x1s 2,x1u 2,x1w 2,x1y 2,x20 2,x22
2,x24 2,x26 2,x28 2,x2a 2,x2c 2,x2e 2,x2g 2,x2i 2,x2k 2,x2m b,x2x 2,x2z 3,x32 2,x34 2,x36 2,x38
2,x3a 5,x3f 5,x3k 2,x3m 1,x50 3,x3q 2,x3s 2,x3u 2,x3w 2,x3y 2,x40 2,x42 2,x44 2,x46 2,x48 c,x4k
2,x4m 2,x4o 2,x4q 2,x4s 2,x4u 2,x4w 2,x4y 5,x53 2,x55 3,x58 4,x5c 6,x5i 2,x5k 2,x5m r,x6d nx,x4j
t,3vk 1,3vl 1,3vm 1,3vn 1,3vo 1,3vp 1,3vq 1,3vr 1,3vs 1,3vt 1,3vu 1,3vv 1,3vw 1,3vx 1,3vy 1,3vz
1,3w0 1,3w1 1,3w2 1,3w3 1,3w4 1,3w5 1,3w6 1,3w7 1,3w8 1,3w9 1,3wa 1,3wb 1,3wc 1,3wd 1,3we 1,3wf
1,3wg 1,3wh 1,3wi 1,3wj 1,3wk 1,3wl 1,3wm 1,3wn 1,3wo 1,3wp 1,3wq 1,3wr 1,3ws 1,3wt 1,3wu 1,3wv
1,3ww 1,3wx 1,3wy 1,3wz 1,3x0 1,3x1 1,3x2 1,3x3 1,3x4 1,3x5 1,3x6 1,3x7 1,3x8 1,3x9 1,3xa 1,3xb
1,3xc 1,3xd 1,3xe 1,3xf 1,3xg 1,3xh 1,3xi 1,3xj 1,3xk 1,3xl 1,3xm 1,3xn 1,3xo 1,3xp 1,3xq 1,3xr
ghu,1ee9 1,1eea 1,1eeb 1,1eec 1,1eed 1,1eee 1,1eef 1,1eeg 1,1eeh 1,1eei 1,1eej 1,1eek 1,1eel
1,1eem 1,1een 1,1eeo 1,1eep 1,1eeq 1,1eer 1,1ees 1,1eet 1,1eeu 1,1eev 1,1eew 1,1eex 1,1eey y6,1fcw
1,1fcx 1,1fcy 1,1fcz 1,1fd0 1,1fd1 1,1fd2 1,1fd3 1,1fd4 1,1fd5 1,1fd6 1,1fd7 1,1fd8 1,1fd9 1,1fda
1,1fdb 1,1fdc 1,1fdd 1,1fde 1,1fdf 1,1fdg 1,1fdh 1,1fdi 1,1fdj 1,1fdk 1,1fdl 1,1fdm 1,1fdn 1,1fdo
1,1fdp 1,1fdq 1,1fdr 1,1fds 1,1fdt 1,1fdu 1,1fdv 1,1fdw 1,1fdx 1,1fdy 1,1fdz 3t,1fhs 1,1fht 1,1fhu
1,1fhv 1,1fhw 1,1fhx 1,1fhy 1,1fhz 1,1fi0 1,1fi1 1,1fi2 1,1fi3 1,1fi4 1,1fi5 1,1fi6 1,1fi7 1,1fi8
1,1fi9 1,1fia 1,1fib 1,1fic 1,1fid 1,1fie 1,1fif 1,1fig 1,1fih 1,1fii 1,1fij 1,1fik 1,1fil 1,1fim
1,1fin 1,1fio 1,1fip 1,1fiq 1,1fir 4c,1fn4 1,1fn5 1,1fn6 1,1fn7 1,1fn8 1,1fn9 1,1fna 1,1fnb 1,1fnc
1,1fnd 1,1fne 2,1fng 1,1fnh 1,1fni 1,1fnj 1,1fnk 1,1fnl 1,1fnm 1,1fnn 1,1fno 1,1fnp 1,1fnq 1,1fnr
1,1fns 1,1fnt 1,1fnu 2,1fnw 1,1fnx 1,1fny 1,1fnz 1,1fo0 1,1fo1 1,1fo2 2,1fo4 1,1fo5 1dw,1h1c
1,1h1d 1,1h1e 1,1h1f 1,1h1g 1,1h1h 1,1h1i 1,1h1j 1,1h1k 1,1h1l 1,1h1m 1,1h1n 1,1h1o 1,1h1p 1,1h1q
1,1h1r 1,1h1s 1,1h1t 1,1h1u 1,1h1v 1,1h1w 1,1h1x 1,1h1y 1,1h1z 1,1h20 1,1h21 1,1h22 1,1h23 1,1h24
1,1h25 1,1h26 1,1h27 1,1h28 1,1h29 1,1h2a 1,1h2b 1,1h2c 1,1h2d 1,1h2e 1,1h2f 1,1h2g 1,1h2h 1,1h2i
1,1h2j 1,1h2k 1,1h2l 1,1h2m 1,1h2n 1,1h2o 1,1h2p 1,1h2q 3i,1h74 1,1h75 1,1h76 1,1h77 1,1h78 1,1h79
1,1h7a 1,1h7b 1,1h7c 1,1h7d 1,1h7e 1,1h7f 1,1h7g 1,1h7h 1,1h7i 1,1h7j 1,1h7k 1,1h7l 1,1h7m 1,1h7n
1,1h7o 1,1h7p 27v,1jfk 1,1jfl 1,1jfm 1,1jfn 1,1jfo 1,1jfp 1,1jfq 1,1jfr 1,1jfs 1,1jft 1,1jfu
1,1jfv 1,1jfw 1,1jfx 1,1jfy 1,1jfz 1,1jg0 1,1jg1 1,1jg2 1,1jg3 1,1jg4 1,1jg5 1,1jg6 1,1jg7 1,1jg8
1,1jg9 1,1jga 1,1jgb 1,1jgc 1,1jgd 1,1jge 1,1jgf gw1,20cg 1,20ch 1,20ci 1,20cj 1,20ck 1,20cl
1,20cm 1,20cn 1,20co 1,20cp 1,20cq 1,20cr 1,20cs 1,20ct 1,20cu 1,20cv 1,20cw 1,20cx 1,20cy 1,20cz
1,20d0 1,20d1 1,20d2 1,20d3 1,20d4 1,20d5 1,20d6 1,20d7 1,20d8 1,20d9 1,20da 1,20db o83,2olc
1,2old 1,2ole 1,2olf 1,2olg 1,2olh 1,2oli 1,2olj 1,2olk 1,2oll 1,2olm 1,2oln 1,2olo 1,2olp 1,2olq
1,2olr 1,2ols 1,2olt 1,2olu 1,2olv 1,2olw 1,2olx 1,2oly 1,2olz 1,2om0 1,2om1 1,2om2 1,2om3 1,2om4
1,2om5 1,2om6 1,2om7 1,2om8 1,2om9
`;
