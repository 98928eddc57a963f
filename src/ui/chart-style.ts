/** The part of the stylesheet for charts. Their colours are those of statuses. */
export const CHART_STYLE = `.chart { margin: 0 0 1rem; }
.chart .legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding: 0; margin: 0 0 .6rem; }
.chart .key { width: 1.6rem; height: .5rem; margin-right: .4rem; vertical-align: middle; }
.chart .plot { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .2rem .6rem; padding: 1rem;
  background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.chart .plot svg { width: 100%; height: 12rem; display: block; overflow: visible; }
.chart .scale { display: flex; flex-direction: column; justify-content: space-between; text-align: right; margin: -.7rem 0;
  color: var(--soft); font-variant-numeric: tabular-nums; }
.chart .ends { grid-column: 2; display: flex; justify-content: space-between; color: var(--soft); margin-top: .3rem; }
.fill { fill: currentColor; stroke: none; } .stroke { fill: none; stroke: currentColor; }
.fill, .stroke, .grid { vector-effect: non-scaling-stroke; }
.stroke { stroke-width: 2; } .plot .fill { stroke: var(--card); stroke-width: 1; }
.grid { stroke: var(--line); }
svg .accent { color: var(--accent); } svg .good { color: var(--good); } svg .bad { color: var(--bad); }
svg .warn { color: var(--warn); } svg .soft { color: var(--soft); }
.dash-1 { stroke-dasharray: 8 4; } .dash-2 { stroke-dasharray: 2 3; } .dash-3 { stroke-dasharray: 10 3 2 3; }
.share { display: inline-flex; gap: .6rem; align-items: center; white-space: nowrap; font-variant-numeric: tabular-nums; }
.share svg { width: 5rem; height: .5rem; background: var(--line); border-radius: .25rem; }
.numbers.even { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); gap: 1rem; }
.numbers .soft { font-size: 1rem; white-space: nowrap; }
ol.steps { list-style: none; padding: 0; }
ol.steps li { display: grid; grid-template-columns: 3.5rem minmax(0, 1fr) auto; gap: .6rem; align-items: center; min-height: 2.5rem; }
.card > h2 { margin-top: 0; }
details { margin-bottom: 1rem; }
summary { cursor: pointer; min-height: 1.75rem; color: var(--accent); }
.spread { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
`;
