// Unicode 16.0.0: full decompositions of what is never composed. Written by scripts/make-text-tables.ts; do not edit.
export const exclusions = `
n4,lc 1,ld 2,lv 1,lk,ld 1c,jd a,1n 9,53 15d,1sl,1to 1,1sm,1to 1,1sn,1to 1,1ss,1to 1,1sx,1to
1,1sy,1to 1,1t7,1to 1,1tb,1to 3h,1wh,1x8 1,1wi,1x8 2,1wv,1x8 2c,20i,20s 3,20o,20s z,1zq,20s
1,1zr,20s 1,1zw,20s 3,20b,20s 72,275,27w 1,276,27w rq,30i,33r a,30s,33r 5,30x,33r 5,312,33r
5,317,33r d,30g,33p a,31t,31u 2,31t,31w 1,33m,328 2,33n,328 9,31t,328 i,32q,33r a,330,33r
5,335,33r 5,33a,33r 5,33f,33r d,32o,33p 33s,q9,ld 2,qd,ld 2,qf,ld 2,qh,ld 2,qn,ld 2,qt,ld 2,qx,ld
1q,pd,ld 3,qh b,ph,ld 2,pj,ld 8,qh,lk,ld 8,pl,ld 8,qt,lk,ld 8,px,ld 3,4o,ld 1,2o a,pr,ld 2,q1,ld
2,50 3,6bm 1,6bn 85,q1 4,23 1,1t,lm e6,9hk 1,9hl 1iq,8gt,mw 14pw,rpk 1,kc4 1,s7e 1,rt4 1,lw1 1,fg2
1,gkl 1,vj0 1,vj0 1,hn5 1,ssx 1,gw7 1,hmw 1,jcm 1,ne1 1,p6t 1,qin 1,qt6 1,r20 1,sjz 1,kxu 1,ljv
1,mah 1,mvy 1,q4d 1,sq2 1,uep 1,fia 1,ghh 1,l50 1,mjf 1,qi5 1,v8e 1,ifk 1,m3v 1,qfh 1,r50 1,jih
1,pnc 1,qvz 1,iq2 1,kd3 1,lm2 1,mpo 1,slq 1,fpi 1,g53 1,gda 1,jwk 1,l3n 1,mj4 1,nhj 1,pa9 1,qh2
1,qjg 1,s1b 1,tv6 1,upb 1,v7e 1,nt8 1,nzz 1,otc 1,q15 1,t1g 1,vb3 1,rfa 1,hjz 1,iro 1,okg 1,pdq
1,mle 1,nuy 1,rsy 1,ttj 1,hjs 1,i8y 1,kyb 1,lp6 1,lxr 1,oq7 1,oxj 1,tor 1,gcy 1,pe3 1,g64 1,g5o
1,o4c 1,ou6 1,q29 1,tpx 1,rk0 1,jin 1,kxu 1,rge 1,fg9 1,i5j 1,iz6 1,mtj 1,n74 1,gev 1,nwb 1,fr3
1,iw9 1,ff1 1,lho 1,k1k 1,opu 1,gjn 1,hge 1,ni9 1,q4p 1,re2 1,la2 1,sds 1,lfs 1,jjy 1,put 1,jog
1,n6t 1,fji 1,g2x 1,g5l 1,kn5 1,oo7 1,prj 1,rf6 1,ssv 1,gdx 1,gn6 1,ho3 1,ir0 1,k3p 1,m4e 1,nxm
1,tkd 1,ui2 1,vbr 1,vda 1,gbf 1,kau 1,l87 1,sbm 1,ino 1,j9s 1,jcw 1,jve 1,lyb 1,mdl 1,n0p 1,o22
1,ovo 1,pdb 1,s9y 1,q9a 1,sgz 1,t3e 1,g7r 1,gbn 1,gql 1,ma0 1,r0i 1,re2 1,iq1 1,iyd 1,jnf 1,l9q
1,oji 1,mt1 1,fl0 1,h6h 1,i5j 1,iii 1,izg 1,muq 1,mzt 1,p7e 1,pc6 1,svo 1,tti 1,tvs 1,u1k 1,fpn
1,o1a 1,ss4 1,trs 1,j4x 1,fie 1,fyy 1,i5q 1,i7z 1,k2h 1,kxu 1,mha 1,ncy 1,q9o 1,sjg 1,vil 1,k94
1,tny 1,gax 1,kfv 1,kj7 1,lkx 1,luk 1,mx5 1,n6h 1,nsb 1,opc 1,u3i 1,g31 1,je6 1,tq0 1,fu3 1,ie1
1,lpm 1,sa2 1,ivf 1,j7o 1,kk7 1,mtj 1,tqe 1,g89 1,glr 1,i91 1,k5v 1,kem 1,ko8 1,lid 1,mx2 1,naa
1,p6h 1,r0v 1,r1d 1,sss 1,tsy 1,gfz 1,lve 1,gm5 1,mhc 1,n14 1,qgq 1,tr7 1,uvr 1,vbz 1,kgn 1,lor
1,pns 1,o97 1,obk 1,olu 1,mo0 1,m8p 1,riw 1,fk0 1,px2 1,g8q 1,g7b 1,ip2 1,jir 1,onq 1,i2t 1,ljy
1,kac 1,saj 1,qx8 1,tot 1,r63 1,iqb 1,g1s 1,gxs 3,hga 2,k8k 3,g66 1,mqy 1,ngq 1,ny4 1,nz2 1,nz9
1,o0f 1,tw6 1,on2 1,p8d 2,qhe 2,rg8 3,shk 1,sn1 4,u7j 1,u7w 1,u94 1,v5g 1,sm6 1,trr 1,fqm 1,fzb
1,g25 1,gcp 1,gdg 1,ggh 1,gwt 1,gzq 1,h2g 1,hfk 1,hig 1,i90 1,i9a 1,j2s 1,j8o 1,j9q 1,jci 1,k0f
1,k4i 1,k9d 1,kn9 1,lmf 1,lqy 1,lya 1,mem 1,mjv 1,mxu 1,ntd 1,ny6 1,nyh 1,nyg 1,nyo 1,nyu 1,nz1
1,o0d 1,o0e 1,o5c 1,o75 1,og0 1,ovo 1,ow9 1,oxt 1,p6a 1,pad 1,pnx 1,prt 1,prt 1,q53 1,r2o 1,r6e
1,rgh 1,ri1 1,rtf 1,ruw 1,sdy 1,shk 1,tsz 1,u0v 1,u2j 1,j1x 1,36cu 1,pp4 3,ffq 1,g51 1,g2w 1,fpc
1,g1x 1,g3k 1,gcn 1,ge2 1,gwt 1,gut 1,gwp 1,gyq 1,hga 1,hir 1,hms 1,hn8 1,huq 1,i08 1,iqa 1,iqh
1,iuh 1,iwd 1,j4o 1,j7y 1,j60 1,j9q 1,j8g 1,jci 1,jec 1,jpg 1,jrw 1,jte 1,k0m 1,k8k 1,kd3 1,kd7
1,keu 1,l89 1,la2 1,lkx 1,lwb 1,lvv 1,lya 1,m5a 1,mem 1,nmv 1,mk5 1,mnj 1,mqy 1,n01 1,n46 1,n5n
1,nbx 1,nbz 1,ngq 1,nh7 1,nhw 1,nka 1,nk0 1,nv0 1,o8h 1,og0 1,ol7 1,orf 1,ovo 1,p4u 1,pad 1,pxu
1,q27 1,qrd 1,r41 1,r5y 1,r6e 1,ren 1,rg8 1,rez 1,rgh 1,rge 1,rfx 1,ri1 1,rka 1,ruw 1,sag 1,sj6
1,srd 1,sxi 1,tq4 1,tsz 1,tw6 1,tzv 1,u0v 1,u17 1,u2j 1,umq 1,vj0 1,313e 1,3138 1,33dh 1,brx 1,cns
1,cop 1,39e1 1,3bgw 1,3i6r 1,vgj 1,vim 1w,15l,14k 2,16a,14n b,161,14x 1,161,14y 1,161,14s,14x
1,161,14s,14y 1,15c,14n 1,15c,14o 1,15c,14s 1,15d,14s 1,15e,14s 1,15f,14s 1,15g,14s 1,15h,14s
1,15i,14s 2,15k,14s 1,15l,14s 1,15m,14s 1,15n,14s 1,15o,14s 2,15q,14s 2,15s,14s 1,15t,14s
2,15v,14s 1,15w,14s 2,15y,14s 1,15z,14s 1,160,14s 1,161,14s 1,162,14s 1,15h,14p 1,15d,14v
1,15n,14v 1,15w,14v 16a8,2jx3,2jxh 1,2jx4,2jxh 1,2jx4,2jxh,2jxq 1,2jx4,2jxh,2jxr 1,2jx4,2jxh,2jxs
1,2jx4,2jxh,2jxt 1,2jx4,2jxh,2jxu 2f,2jzt,2jxh 1,2jzu,2jxh 1,2jzt,2jxh,2jxq 1,2jzu,2jxh,2jxq
1,2jzt,2jxh,2jxr 1,2jzu,2jxh,2jxr 1m4g,fgd 1,fg8 1,fgh 1,2tcy 1,fog 1,fqm 1,fqz 1,fsy 1,fwa 1,fx5
1,fzb 1,fyn 1,ae6 1,2ud6 1,g25 1,g2c 1,g2s 1,g3b 1,2u58 1,aex 1,g2v 1,g3x 1,2u6j 1,g47 1,g4k 1,fkc
1,g4s 1,g51 1,3ly7 1,g6t 1,g77 1,afz 1,g8r 1,g92 1,gaa 1,gaf 1,ahh 1,gcn 1,gcp 1,gdg 1,ge2 1,ged
1,gee 1,gev 1,gg9 1,ggh 1,ggq 1,ghf 1,ghp 1,ghr 1,ghr 1,ghr 1,2v58 1,m7k 1,gju 1,gkf 1,2vdv 1,gkr
1,gkx 1,gli 1,gpq 1,gmw 1,gnc 1,go8 1,gpu 1,gs6 1,gsw 1,gur 1,gv7 1,gw4 1,gw4 1,gwp 1,gx7 1,gxf
1,gxu 1,h7a 1,gzq 1,h7b 1,h1t 1,h2s 1,g7b 1,hke 1,hce 1,hdg 1,he5 1,haj 1,hf6 1,hf5 1,hik 1,2x9g
1,hki 1,hkn 1,hl2 1,hlm 1,hlu 1,hnm 1,2xm0 1,2xnu 1,hrg 1,hsr 1,ht3 1,hqw 1,huu 1,aum 1,av0 1,hzc
1,i0u 1,i0u 1,2y88 1,i4j 1,i54 1,i5j 1,i5v 1,2yhk 1,i67 1,i6e 1,itv 1,i76 1,ayp 1,i8w 1,i9a 1,ibk
1,ia5 1,2z1g 1,if7 1,2z1i 1,ige 1,igb 1,igs 1,ijl 1,ijm 1,b3j 1,ikd 1,ilk 1,im5 1,ind 1,b4y 1,2zr7
1,b5o 1,ipc 1,ipf 1,ipi 1,iq2 1,3pg2 1,iri 1,3035 1,3035 1,poh 1,isi 1,isi 1,b7r 1,335k 1,3cgq
1,iua 1,iuj 1,b8j 1,ivu 1,ix9 1,ixj 1,iyh 1,j29 1,bay 1,ba4 1,j2s 1,30t0 1,j47 1,j7s 1,j7w 1,j7y
1,j7w 1,j96 1,j9q 1,jaq 1,jac 1,jan 1,jby 1,jci 1,jcm 1,jdc 1,jdn 1,jfh 1,jht 1,jis 1,jm8 1,31n0
1,jlp 1,jjw 1,jmw 1,jnn 1,jqc 1,31td 1,js2 1,jph 1,jop 1,bhq 1,ju1 1,jum 1,jvh 1,juf 1,bjg 1,k0f
1,k18 1,32mi 1,k4j 1,kc8 1,k7d 1,bo9 1,k9d 1,bns 1,bms 1,g42 1,g45 1,kcg 1,k9o 1,pf1 1,deh 1,kd3
1,kd7 1,kdd 1,kf2 1,ker 1,33cz 1,bpl 1,kje 1,kg5 1,klu 1,kn9 1,33hp 1,kni 1,kkf 1,kr8 1,brx 1,ksi
1,kv7 1,kx6 1,l2g 1,33xf 1,l3v 1,bvc 1,l5t 1,34br 1,l78 1,bwu 1,l82 1,l9b 1,la2 1,la3 1,34p9
1,2yvf 1,34sa 1,le6 1,354s 1,lhb 1,lhp 1,lev 1,ljq 1,lku 1,lmf 1,lkx 1,lm1 1,lmg 1,lmt 1,357i
1,lkk 1,lrj 1,lta 1,c37 1,lvv 1,lvr 1,35jl 1,lq1 1,m0e 1,35ni 1,35ou 1,m2u 1,m61 1,m5a 1,m57 1,c5y
1,m6i 1,m7x 1,m7r 1,m99 1,2u5h 1,mdh 1,368z 1,mfw 1,36i3 1,mjs 1,mk5 1,mkw 1,36yw 1,mm8 1,mmt
1,3779 1,37dg 1,mt6 1,mtn 1,cdo 1,mud 1,ce0 1,ce0 1,myv 1,mzg 1,n01 1,n0l 1,n2i 1,cgr 1,n50 1,386u
1,n5q 1,389e 1,n74 1,2zrz 1,nbk 1,38v5 1,38vs 1,38zo 1,cn0 1,cnc 1,nhw 1,394j 1,394i 1,395l 1,396b
1,nj2 1,nj3 1,nj3 1,nka 1,cop 1,nm3 1,cp2 1,cra 1,39r1 1,nri 1,nt8 1,nv0 1,ctf 1,3a5i 1,nyu 1,3a8q
1,3a9x 1,o0f 1,o2z 1,cvj 1,o5c 1,o5m 1,o5r 1,3at8 1,3b1j 1,3b1j 1,oa6 1,d1e 1,3b8r 1,og6 1,og9
1,d2f 1,3beo 1,onm 1,d5s 1,oo8 1,oo3 1,oow 1,3c06 1,orn 1,d8h 1,ouf 1,ow2 1,oxx 1,d9w 1,3ciw
1,3cjr 1,dax 1,3cnt 1,p6i 1,3cqm 1,p79 1,pa2 1,pad 1,3d22 1,3d43 1,pcw 1,3d7s 1,pdc 1,33a7 1,ded
1,pf6 1,phf 1,dfv 1,pj2 1,hx1 1,3dlz 1,3dmd 1,33bn 1,33bw 1,poh 1,pok 1,sda 1,dij 1,psh 1,psb
1,pst 1,gc3 1,ptd 1,ptf 1,ptp 1,puu 1,3ebg 1,put 1,pwd 1,pyb 1,q0d 1,pwj 1,q0t 1,q1z 1,q53 1,pxv
1,q16 1,q18 1,q1o 1,3eie 1,3eqz 1,3emt 1,dnv 1,q9d 1,q9f 1,qae 1,3g0a 1,qck 1,3f3g 1,dp9 1,dpd
1,3f75 1,3ff6 1,dpn 1,qj4 1,qjg 1,qjr 1,qjt 1,qll 1,qko 1,qoe 1,qn6 1,qrd 1,qp4 1,qqz 1,qrq 1,dsn
1,qu9 1,qv5 1,dtl 1,qxs 1,qxv 1,3giv 1,r13 1,r1a 1,dv9 1,r22 1,aez 1,3gz2 1,3h46 1,dz2 1,dzb 1,rds
1,rfx 1,rka 1,rpx 1,3hrc 1,rsb 1,rsx 1,rvf 1,rxz 1,3i9b 1,2upw 1,s0b 1,rzw 1,s1c 1,2uvy 1,s7o
1,sag 1,3jki 1,3jl9 1,sk4 1,smp 1,snl 1,3ju6 1,snv 1,svs 1,t07 1,t08 1,sxo 1,t89 1,t91 1,3ksa
1,tjf 1,ej9 1,tkn 1,3l2v 1,eli 1,ts3 1,iia 1,tur 1,3ltx 1,3lzu 1,epa 1,epi 1,u00 1,3mdm 1,er6
1,3mhi 1,u17 1,u17 1,u21 1,3mpi 1,u76 1,eur 1,u95 1,ucn 1,ude 1,uf2 1,ez2 1,3nsg 1,umq 1,uv4 1,v0d
1,f66 1,f71 1,v3b 1,3owe 1,f7c 1,3oxx 1,3p5a 1,3p8x 1,vcr 1,f9y 1,veh 1,vem 1,vet 1,vf3 1,vfa
1,vgb 1,3pxc
`;
