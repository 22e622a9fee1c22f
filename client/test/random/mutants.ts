import type { Mutant } from '../../../test/support/mutants.js';

/** Rules of synchronising, and edits of the client's source that take them out. */
const EDITS: Readonly<Record<string, Omit<Mutant, 'test'>>> = {
  cursor: {
    rule: 'the cursor is the newState of /changes, even where the objects are newer',
    file: 'client/src/sync/pull.ts',
    text: 'if (ids.length === 0) return { ...pulled, cursor: newState, isWhole, stale: null };',
    edited: `const got = answerOf(response, \`\${type}.updated\`);
  const cursor = got.isError ? newState : String(got.args['state']);
  if (ids.length === 0) return { ...pulled, cursor, isWhole, stale: null };`,
  },
  changes: {
    rule: 'the cursor moves by /changes alone',
    file: 'client/src/sync/sync.ts',
    text: 'const draft = new Draft(this.#replica, flush.change);',
    edited: `const draft = new Draft(this.#replica, flush.change);
    for (const { onceKey, type } of cycle.calls) {
      const set = response.methodResponses.find(([, , id]) => id === onceKey);
      if (set && set[0] !== 'error') draft.cursors.set(type, String(set[1]['newState']));
    }`,
  },
  sweep: {
    rule: 'a copy that is read anew loses what the server has no more',
    file: 'client/src/sync/type-reading.ts',
    text: 'this.#dropUnseen(draft);',
    edited: 'this.#swept = null;',
  },
  commit: {
    rule: 'a write leaves the log in the commit that brings its effect',
    file: 'client/src/sync/sync.ts',
    text: 'const recovery = this.#openCalls.recover(cycle, response, draft);',
    edited: `void this.#options.commit({ log: flush.change.log ?? [] }, []);
    const recovery = this.#openCalls.recover(cycle, response, draft);`,
  },
  epoch: {
    rule: 'a commit has the epoch of the last fence',
    file: 'client/src/persist/memory.ts',
    text: 'if (options.epoch !== undefined && options.epoch !== epoch) throw new FencedError();',
    edited: 'if (epoch < 0) throw new FencedError();',
  },
  once: {
    rule: 'a call whose outcome is unknown comes again under its key',
    file: 'client/src/sync/flush.ts',
    text: '...(hasOnceKeys && { onceKey: call.onceKey }),',
    edited: '...(hasOnceKeys && { onceKey: crypto.randomUUID() }),',
  },
};

export const MUTANTS: Readonly<Record<string, Mutant>> = Object.fromEntries(
  Object.entries(EDITS).map(([name, edit]) => [
    name,
    { ...edit, test: 'client/test/random/random.test.ts' },
  ]),
);
