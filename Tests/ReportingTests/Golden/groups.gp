reset
set terminal svg size 520,320 dynamic font 'sans-serif,14' linewidth 1.2 noenhanced
set output 'groups.svg'
set encoding utf8
set border 3 linecolor rgb '#1B1C1D'
set tics nomirror out scale 0.5 textcolor rgb '#1B1C1D'
set grid ytics linecolor rgb '#D9DADB' linewidth 0.6 dashtype 1
set tmargin at screen 0.8625
set title 'Points by cause' textcolor rgb '#1B1C1D'
set key outside below center horizontal Left reverse samplen 1 maxrows 3 height 1 textcolor rgb '#1B1C1D'
set ylabel 'points' textcolor rgb '#1B1C1D'
set style fill solid 1 noborder
$s0 << EOD
-0.2 1.5 -0.376 -0.024 0 3
0.8 2 0.624 0.976 0 4
EOD
$s1 << EOD
0.2 0.5 0.024 0.376 0 1
EOD
set xtics ('web' 0, 'ios' 1)
set xrange [-0.6:1.6]
set yrange [0:*]
plot $s0 using 1:2:3:4:5:6 with boxxyerror linecolor rgb '#D80C2C' title 'L loss', \
     $s1 using 1:2:3:4:5:6 with boxxyerror linecolor rgb '#7E58EB' title 'D delay'
unset output
