import type { ListFigures } from './figures.js';
import { runProgram } from './programs.js';
import { isWithin, mb, median, ms, type Row, type Sizes } from './rows.js';

/** Lists of the client beside plain JavaScript and TanStack DB, in processes of their own. */

const CONTENDERS = ['ours', 'outside', 'plain', 'tanstack'] as const;
type Contender = (typeof CONTENDERS)[number];
type Figure = keyof ListFigures;

export async function measureLists(sizes: Sizes): Promise<readonly Row[]> {
  const { rounds, objects, updates, singles } = sizes;
  const all = new Map<Contender, ListFigures[]>(CONTENDERS.map((name) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, figures] of all) {
      process.stderr.write(`round ${round} of ${rounds}: lists, ${name}\n`);
      const args = [name, objects, updates, singles];
      figures.push((await runProgram('lists', args)) as ListFigures);
    }
  }
  const of = (name: Contender, figure: Figure): number =>
    median((all.get(name) ?? []).map((each) => each[figure]));
  return rowsOf(of, sizes);
}

function rowsOf(
  of: (name: Contender, figure: Figure) => number,
  { objects, updates, singles }: Sizes,
): readonly Row[] {
  const count = (value: number): string => value.toLocaleString('en');
  const rows = count(of('ours', 'rows'));
  /** A row whose figure is one of milliseconds or of octets. */
  const row = (what: string, figure: Figure, most: number): Row => ({
    ...{ what, target: ms(most), measured: ms(of('ours', figure)) },
    isMet: of('ours', figure) <= most,
    ...{ plain: ms(of('plain', figure)), tanstack: ms(of('tanstack', figure)) },
  });
  const memory = (what: string, figure: Figure, most: number): Row => ({
    ...{ what, target: `${most} MB` },
    measured: `${mb(of('outside', figure))}; with \`memory()\` ${mb(of('ours', figure))}`,
    isMet: isWithin(of('outside', figure), most),
    ...{ plain: mb(of('plain', figure)), tanstack: mb(of('tanstack', figure)) },
  });
  return [
    row(`first list of ${rows} of ${count(objects)} objects, sorted`, 'first', 250),
    row('its longest task', 'firstTask', 50),
    row(`${count(updates)} updates, two lists open, one of ${rows}`, 'updates', 150),
    row('their longest task', 'updatesTask', 16),
    row(`one update to the subscriber, p50 of ${count(singles)}`, 'one', 0.1),
    row('the same, p99', 'onePast', 2),
    row('a write on screen, p50', 'write', 1),
    memory(`${count(objects)} objects of 7 properties`, 'memory', 60),
    memory(`a list of ${rows} of them`, 'listMemory', 2),
  ];
}
