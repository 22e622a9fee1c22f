import { kindOf } from './kinds.js';
import { type Results, spread, threeOf } from './report.js';

/** `--before`: jmapsmith of an older checkout, measured in turns with this one's. */

/**
 * Returns the table of what became of each job, round by round; empty where there is no other
 * checkout.
 */
export function beforeTable(results: Results): string {
  const rows = results.jobs().flatMap((job) =>
    results.servers(job).flatMap((before) => {
      const server = kindOf(before);
      if (server === before) return [];
      const rates: number[] = [];
      const costs: number[] = [];
      for (const [round, was] of results.of(job, before).entries()) {
        const is = results.of(job, server)[round];
        if (is === undefined) continue;
        if (was.perSecond > 0) rates.push(is.perSecond / was.perSecond);
        if (was.cpu !== null && was.cpu > 0 && is.cpu !== null) costs.push(is.cpu / was.cpu);
      }
      return [`| ${job} | ${server} | ${ofRatios(rates)} | ${ofRatios(costs)} |`];
    }),
  );
  if (rows.length === 0) return '';
  const head = [
    '| job | server | per second, of before | CPU each, of before |',
    '|---|---|---|---|',
  ];
  return `${[...head, ...rows].join('\n')}\n`;
}

function ofRatios(ratios: readonly number[]): string {
  return threeOf(spread(ratios), 2);
}
