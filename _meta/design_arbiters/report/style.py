"""The style sheet of the HTML report: light and dark, wide and narrow, screen and paper. Nothing is loaded by it.

Colours come in pairs that keep 4.5:1 for text and 3:1 for lines; what failed is also dashed, hatched or crossed, so
that nobody needs to tell red from green.
"""

CSS = """\
:root{color-scheme:light dark;
--paper:#fbfaf7;--card:#fff;--ink:#1b2430;--quiet:#5a6675;--line:#d8dbe0;--link:#0b5cad;
--bad:#b3261e;--bad-soft:#fbe9e7;--doubt:#8a5a00;--doubt-soft:#fdf1d8;--good:#1b6e45;--good-soft:#e3f3ea;
--box:#7d93ab;--box-soft:rgb(70 110 150/.06);--sheet:#fff}
@media screen and (prefers-color-scheme:dark){:root{
--paper:#12161c;--card:#1a2029;--ink:#e6eaf0;--quiet:#a3afbe;--line:#333d4a;--link:#7db7f5;
--bad:#ff8f85;--bad-soft:#3a1d1b;--doubt:#f0bc5e;--doubt-soft:#33270f;--good:#7bd3a4;--good-soft:#152c20;
--box:#6b83a0;--box-soft:rgb(140 180 220/.07);--sheet:#161c24}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main,header>div{max-width:84rem;margin:0 auto;padding:0 1.5rem}
main{padding-bottom:4rem}
header{background:var(--card);border-bottom:1px solid var(--line);padding:1.75rem 0 1.5rem}
h1{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem;margin:0;font-size:1.05rem;font-weight:600;
color:var(--quiet)}
h2{font-size:1.35rem;line-height:1.25;margin:2.75rem 0 .75rem}
h3{font-size:1.05rem;margin:1.5rem 0 .5rem}
p{margin:.5rem 0;max-width:75ch}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:2px}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:.5rem;background:var(--card);padding:.5rem 1rem;z-index:1}
.mark{padding:.15rem .9rem .3rem;border:2px solid;border-radius:.5rem;font-size:1.9rem;font-weight:700;line-height:1.2;
overflow-wrap:anywhere}
.counted{font-size:1.1rem;margin:.75rem 0 0}
.bad-mark{color:var(--bad);background:var(--bad-soft)}
.doubt-mark{color:var(--doubt);background:var(--doubt-soft)}
.good-mark{color:var(--good);background:var(--good-soft)}
.notice{border-left:.4rem solid var(--doubt);background:var(--doubt-soft);padding:.75rem 1rem;margin:1rem 0;
max-width:none}
.notice strong{color:var(--doubt)}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:1rem 0 0;padding:0}
code,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9em}
bdi,code{overflow-wrap:anywhere}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;background:var(--card);border:1px solid var(--line);font-size:.9375rem}
caption{text-align:left;color:var(--quiet);padding:.25rem 0 .5rem;font-size:.875rem}
th,td{text-align:left;vertical-align:top;padding:.55rem .75rem;border-top:1px solid var(--line)}
thead th{font-size:.8125rem;color:var(--quiet);font-weight:600;border-top:0}
tbody th{font-weight:600}
td.count{text-align:right;font-variant-numeric:tabular-nums}
th.count{text-align:right}
.slim{width:auto}
.slim th,.slim td{min-width:5rem}
.wide th:first-child{width:18%}
.wide thead th:nth-child(2){width:12%}
.wide td,.wide th{min-width:8rem}
.no{display:inline-block;min-width:1.5rem;padding:0 .3rem;margin-right:.5rem;border-radius:1rem;text-align:center;
background:var(--bad);color:var(--card);font-size:.8125rem;font-weight:700;line-height:1.5rem}
.selector{display:block;color:var(--quiet);font-weight:400}
.kind{font-weight:600}
.bad{color:var(--bad)}.doubt{color:var(--doubt)}.good{color:var(--good)}.quiet{color:var(--quiet)}
dl.told{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .75rem;margin:.2rem 0 0}
dl.told dt{color:var(--quiet)}
dl.told dd{margin:0}
dl.pairs{display:grid;grid-template-columns:fit-content(14rem) minmax(0,1fr);gap:.2rem 1.25rem;
margin:.5rem 0;font-size:.9375rem}
dl.pairs dt{color:var(--quiet)}
dl.pairs dd{margin:0}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));gap:0 3rem}
section.screen{content-visibility:auto;contain-intrinsic-size:auto 48rem}
details{margin:.75rem 0}
summary{cursor:pointer;padding:.35rem 0;font-weight:600}
.plans{display:flex;flex-wrap:wrap;gap:1.5rem 1rem}
figure{margin:0;width:min-content;max-width:100%}
figcaption{font-size:.875rem;color:var(--quiet);padding-bottom:.5rem}
figcaption b{color:var(--ink);font-size:1rem}
.plan{overflow:auto;max-height:90vh;border:1px solid var(--line);border-radius:.5rem;background:var(--card)}
.plan svg{display:block}
svg text{font-family:system-ui,sans-serif;font-weight:700}
.page{fill:var(--sheet);stroke:var(--line)}
.page,.fold,rect,.cross{vector-effect:non-scaling-stroke}
.fold{stroke:var(--line);stroke-dasharray:2 4;fill:none}
rect.good{fill:var(--box-soft);stroke:var(--box)}
rect.worried{fill:var(--doubt-soft);fill-opacity:.5;stroke:var(--doubt);stroke-width:2;stroke-dasharray:1 3;
stroke-linecap:round}
rect.unjudged{fill:none;stroke:var(--quiet);stroke-dasharray:1 4;pointer-events:all}
rect.bad{fill:url(#hatch);stroke:var(--bad);stroke-width:2.5}
rect.declared{fill:none;stroke-dasharray:7 4;stroke-width:1.5}
rect.bad.declared{stroke:var(--ink);stroke-width:2}
.cross{stroke:var(--bad);stroke-width:2.5;fill:none}
#hatch path{stroke:var(--bad);stroke-opacity:.55;stroke-width:2}
.sign{fill:var(--bad);stroke:var(--card);vector-effect:non-scaling-stroke}
text.number{fill:var(--card)}
text.name{fill:var(--quiet);font-weight:400;pointer-events:none}
text.drift{fill:var(--bad);stroke:var(--sheet);stroke-width:.3em;paint-order:stroke;stroke-linejoin:round}
.legend{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;list-style:none;padding:0;margin:.75rem 0 1.25rem;
font-size:.875rem}
.legend svg{vertical-align:-.3rem;margin-right:.4rem}
.defs{position:absolute}
@media(max-width:60rem){
table.wide,table.wide caption,table.wide tbody,table.wide tr,table.wide th,table.wide td{display:block}
table.wide th:first-child{width:auto}
table.wide thead{position:absolute;left:-99rem}
table.wide th,table.wide td{border-top:0;padding:.2rem .75rem}
table.wide tr>:first-child{padding-top:.7rem;border-top:1px solid var(--line)}
table.wide tr>:last-child{padding-bottom:.7rem}
}
@media(max-width:40rem){
main,header>div{padding:0 1rem}
dl.pairs{grid-template-columns:1fr;gap:0}
dl.pairs dd{margin-bottom:.4rem}
}
@media print{
body{background:#fff;font-size:10pt}
nav,.skip{display:none}
section.screen{content-visibility:visible}
.plan{overflow:visible;max-height:none;border:0}
.plan svg{max-width:100%;height:auto;max-height:22cm}
figure{width:auto}
figure,tr,.notice{break-inside:avoid}
h2,h3,figcaption,caption{break-after:avoid}
*{print-color-adjust:exact}
}
"""
