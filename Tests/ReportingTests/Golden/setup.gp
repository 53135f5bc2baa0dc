reset
set terminal svg size 520,320 dynamic font 'sans-serif,14' linewidth 1.2 noenhanced
set output 'setup.svg'
set encoding utf8
set border 3 linecolor rgb '#1B1C1D'
set tics nomirror out scale 0.5 textcolor rgb '#1B1C1D'
set grid xtics linecolor rgb '#D9DADB' linewidth 0.6 dashtype 1
set tmargin at screen 0.8625
set title 'Points by cause' textcolor rgb '#1B1C1D'
set key outside below center horizontal Left reverse samplen 1 maxrows 3 height 1 textcolor rgb '#1B1C1D'
set ylabel 'points' textcolor rgb '#1B1C1D'
set style fill solid 1 noborder
$s0 << EOD
1.5 0 0 3 -0.36 0.36
2 1 0 4 0.64 1.36
EOD
$s1 << EOD
3.5 0 3 4 -0.36 0.36
EOD
set ytics ('web' 0, 'ios' 1)
set yrange [1.6:-0.6]
set xrange [0:*]
$l0 << EOD
1.5 0 L
2 1 L
EOD
$l1 << EOD
3.5 0 D
EOD
plot $s0 using 1:2:3:4:5:6 with boxxyerror linecolor rgb '#D80C2C' title 'L loss', \
     $s1 using 1:2:3:4:5:6 with boxxyerror linecolor rgb '#7E58EB' title 'D delay', \
     $l0 using 1:2:3 with labels font ',11' textcolor rgb '#FFFFFF' notitle, \
     $l1 using 1:2:3 with labels font ',11' textcolor rgb '#FFFFFF' notitle
unset output
