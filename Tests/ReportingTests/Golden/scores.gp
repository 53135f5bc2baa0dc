reset
set terminal svg size 520,320 dynamic font 'sans-serif,14' linewidth 1.2 noenhanced
set output 'scores.svg'
set encoding utf8
set border 3 linecolor rgb '#1B1C1D'
set tics nomirror out scale 0.5 textcolor rgb '#1B1C1D'
set grid ytics linecolor rgb '#D9DADB' linewidth 0.6 dashtype 1
set tmargin at screen 0.8625
set title 'Scores' textcolor rgb '#1B1C1D'
set key outside below center horizontal Left reverse samplen 3 maxrows 3 height 1 textcolor rgb '#1B1C1D'
unset key
set xlabel 'Score' offset 0,0.4 textcolor rgb '#1B1C1D'
set ylabel 'Share at or below' textcolor rgb '#1B1C1D'
$s0 << EOD
40 0.5
100 1
EOD
set xrange [*:*]
set yrange [*:*]
set rmargin 3
plot $s0 using 1:2 with steps linecolor rgb '#8C8C8C' linewidth 1.2 dashtype 1 title 'all'
unset output
