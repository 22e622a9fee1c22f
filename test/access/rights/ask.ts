import type { Call, Client, MethodResponse } from '../../support/client.js';
import { inventId } from '../foreign.js';
import { ASKER_NAMES, type AskerName } from './askers.js';
import { forbiddenTexts, wordOf, wordOfStatus } from './judge.js';
import { PROBES, type Probe } from './probes.js';
import type { Scene, Spot } from './scene.js';
import { hiddenFrom } from './table.js';

/** One answer, to one method of a row by one asker. */
export interface Cell {
  readonly row: string;
  readonly method: string;
  readonly asker: AskerName;
  readonly word: string;
  /** Descriptions of what was forbidden. */
  readonly forbidden: readonly string[];
  /** The request and its answer, as texts. */
  readonly asked: string;
  readonly answered: string;
  /**
   * The answer, and that to the same call about ids of nothing in the place of those that the asker
   * can't see; ids are blank in both. Null where there are none.
   */
  readonly alike: readonly [answered: string, twin: string] | null;
}

interface Question {
  readonly row: string;
  readonly probe: Probe;
  readonly method: string;
}

/** Pairs of calls in a request: maxCallsInRequest is 32. */
const PAIRS = 16;

const WRITES = /\/(?:set|copy|upload)$/;

/** Makes every call of every row: those that change nothing first, then the others row by row. */
export async function askAll({ clients, spots }: Scene): Promise<readonly Cell[]> {
  const all = [...PROBES].flatMap(([row, probe]) =>
    probe.methods.map((method): Question => ({ row, probe, method })),
  );
  const phases = [false, true].map((writes) =>
    all.filter(({ method }) => WRITES.test(method) === writes),
  );
  const cells: Cell[] = [];
  for (const questions of phases)
    for (const asker of ASKER_NAMES) {
      const [client, spot] = [clients.get(asker), spots.get(asker)];
      if (client === undefined || spot === undefined) throw new Error(`${asker} has no place.`);
      const desk = { asker, client, spot };
      const calls = questions.filter(({ method }) => method.includes('/'));
      for (let from = 0; from < calls.length; from += PAIRS)
        cells.push(...(await askCalls(desk, calls.slice(from, from + PAIRS))));
      for (const question of questions)
        if (!calls.includes(question)) cells.push(await askEndpoint(desk, question));
    }
  return cells;
}

interface Desk {
  readonly asker: AskerName;
  readonly client: Client;
  readonly spot: Spot;
}

/** Each call, and behind it the one that must be answered alike. */
async function askCalls(
  { asker, client, spot }: Desk,
  questions: readonly Question[],
): Promise<readonly Cell[]> {
  const hidden = hiddenFrom(asker);
  const invented = new Map(
    [...spot.ids].map(([name, id]) => [name, hidden.has(name) ? inventId(id) : id]),
  );
  const pairs = questions.map(({ probe, method }, index) => {
    const args = probe.args(method, spot);
    const twin = probe.args(method, { ...spot, ids: invented });
    const isSame = JSON.stringify(twin) === JSON.stringify(args);
    return {
      call: [method, args, `c${index}`] as const,
      twins: isSame ? [] : [[method, twin, `t${index}`] as const],
    };
  });
  const calls: Call[] = pairs.flatMap(({ call, twins }) => [call, ...twins]);
  const response = await client.post(JSON.stringify({ using: client.using, methodCalls: calls }));
  const { methodResponses = [] } = response.json as unknown as {
    readonly methodResponses?: readonly MethodResponse[];
  };
  const answers = new Map(methodResponses.map((answer) => [answer[2], answer]));
  return questions.map(({ row, probe, method }, index) => {
    const place = { row, method, asker, asked: JSON.stringify(pairs[index]?.call) };
    if (response.status !== 200) return statusCell(place, response);
    const [answer, twin] = [answers.get(`c${index}`), answers.get(`t${index}`)];
    if (answer === undefined) throw new Error(response.text);
    return {
      ...place,
      word: wordOf(probe, spot.ids.get(probe.name) ?? '', answer),
      forbidden: forbiddenTexts(answer),
      answered: JSON.stringify(answer),
      alike: twin === undefined ? null : [blank(answer, spot.ids), blank(twin, invented)],
    };
  });
}

type CellPlace = Pick<Cell, 'row' | 'method' | 'asker' | 'asked'>;

function statusCell(
  place: CellPlace,
  response: { readonly status: number; readonly text: string },
): Cell {
  const word = wordOfStatus(response.status);
  return { ...place, word, forbidden: [], answered: response.text, alike: null };
}

/** An answer's text, with a word in place of each id. */
function blank([name, answer]: MethodResponse, ids: ReadonlyMap<string, string>): string {
  let text = JSON.stringify([name, answer]);
  for (const [word, id] of ids) if (id !== '') text = text.replaceAll(id, `<${word}>`);
  return text;
}

async function askEndpoint(
  { asker, client, spot: { accountId, ids } }: Desk,
  { row, probe, method }: Question,
): Promise<Cell> {
  const paths: Readonly<Record<string, string>> = {
    'GET download': `/jmap/download/${accountId}/${ids.get(probe.name)}/x.txt`,
    'POST upload': `/jmap/upload/${accountId}`,
    'GET session': '/.well-known/jmap',
  };
  const asked = paths[method] ?? '';
  const init = method.startsWith('POST') ? { method: 'POST', body: 'new' } : {};
  const answer = await client.http(asked, init);
  const cell = statusCell({ row, method, asker, asked }, answer);
  if (method !== 'GET session' || answer.status !== 200) return cell;
  const { accounts } = answer.json as { readonly accounts: object };
  return { ...cell, word: Object.keys(accounts).includes(accountId) ? 'ok' : 'nf' };
}
