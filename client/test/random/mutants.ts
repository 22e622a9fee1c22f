import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../test/support/server.js';

/** A rule of synchronising, and an edit of the client's source that takes it out. */
export interface Mutant {
  readonly rule: string;
  /** Of client/src. */
  readonly file: string;
  readonly text: string;
  readonly edited: string;
}

export const MUTANTS: Readonly<Record<string, Mutant>> = {
  cursor: {
    rule: 'the cursor is the newState of /changes, even where the objects are newer',
    file: 'sync/pull.ts',
    text: 'if (ids.length === 0) return { ...pulled, cursor: newState, isWhole, stale: null };',
    edited: `const got = answerOf(response, \`\${type}.updated\`);
  const cursor = got.isError ? newState : String(got.args['state']);
  if (ids.length === 0) return { ...pulled, cursor, isWhole, stale: null };`,
  },
  changes: {
    rule: 'the cursor moves by /changes alone',
    file: 'sync/sync.ts',
    text: 'const draft = new Draft(this.#replica, flush.change);',
    edited: `const draft = new Draft(this.#replica, flush.change);
    for (const { onceKey, type } of cycle.calls) {
      const set = response.methodResponses.find(([, , id]) => id === onceKey);
      if (set && set[0] !== 'error') draft.cursors.set(type, String(set[1]['newState']));
    }`,
  },
  sweep: {
    rule: 'a copy that is read anew loses what the server has no more',
    file: 'sync/type-reading.ts',
    text: 'this.#dropUnseen(draft);',
    edited: 'this.#swept = null;',
  },
  commit: {
    rule: 'a write leaves the log in the commit that brings its effect',
    file: 'sync/sync.ts',
    text: 'const recovery = this.#openCalls.recover(cycle, response, draft);',
    edited: `void this.#options.commit({ log: flush.change.log ?? [] }, []);
    const recovery = this.#openCalls.recover(cycle, response, draft);`,
  },
  epoch: {
    rule: 'a commit has the epoch of the last fence',
    file: 'persist/memory.ts',
    text: 'if (options.epoch !== undefined && options.epoch !== epoch) throw new FencedError();',
    edited: 'if (epoch < 0) throw new FencedError();',
  },
  once: {
    rule: 'a call whose outcome is unknown comes again under its key',
    file: 'sync/flush.ts',
    text: '...(hasOnceKeys && { onceKey: call.onceKey }),',
    edited: '...(hasOnceKeys && { onceKey: crypto.randomUUID() }),',
  },
};

/** Returns the path and the text of a mutant. Throws where its edit doesn't fit any more. */
export function makeMutant({ file, text, edited }: Mutant): { path: string; source: string } {
  const path = join(ROOT, 'client/src', file);
  const parts = readFileSync(path, 'utf8').split(text);
  if (parts.length !== 2)
    throw new Error(`client/src/${file} has "${text}" ${parts.length - 1} times, not once.`);
  return { path, source: parts.join(edited) };
}
