import { describedWorld } from '../conformance/descriptor.js';
import { CORE } from '../support/client.js';
import type { Types } from './account.js';

const world = describedWorld('gadget.yaml', '../../capabilities/todos.yaml');

/** The subject of a session: its first type most of the time. */
export const SUBJECTS: ReadonlyMap<string, Types> = new Map(
  [['Todo'], ['Gadget', 'Crate'], ['Single']].map((names): [string, Types] => [
    names[0] ?? '',
    new Map(
      names.flatMap((name) => {
        const found = world.get(name);
        return found === undefined ? [] : [[name, found.type]];
      }),
    ),
  ]),
);

export const USING: readonly string[] = [
  CORE,
  ...new Set([...world.values()].map(({ capability }) => capability)),
];
