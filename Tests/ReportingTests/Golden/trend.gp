reset
set terminal svg size 520,320 dynamic font 'sans-serif,14' linewidth 1.2 noenhanced
set output 'trend.svg'
set encoding utf8
set border 3 linecolor rgb '#1B1C1D'
set tics nomirror out scale 0.5 textcolor rgb '#1B1C1D'
set grid ytics linecolor rgb '#D9DADB' linewidth 0.6 dashtype 1
set tmargin at screen 0.8625
set title 'Poor calls, 14 nights' textcolor rgb '#1B1C1D'
set key outside below center horizontal Left reverse samplen 3 maxrows 3 height 1 textcolor rgb '#1B1C1D'
set xlabel 'Night' offset 0,0.4 textcolor rgb '#1B1C1D'
set ylabel '% of calls' textcolor rgb '#1B1C1D'
$s0 << EOD
0 3
1 NaN
2 4.5
EOD
$s1 << EOD
0 2
2 2
EOD
set xrange [*:*]
set yrange [0:*]
set rmargin 4
set xtics ('Mon' 0, 'Wed' 2)
plot $s0 using 1:2 with linespoints linecolor rgb '#C20D80' linewidth 2 dashtype 5 pointtype 7 pointsize 0.5 title 'web', \
     $s1 using 1:2 with linespoints linecolor rgb '#91785D' linewidth 2 dashtype 3 pointtype 5 pointsize 0.5 title 'it’s'
unset output
