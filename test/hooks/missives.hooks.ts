import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { type HookCall, HookRefusal, type HookTransaction } from 'jmapsmith/capability';
import type { Hooks } from '../generated/missives/hooks.js';
import { missiveType } from '../generated/missives/Missive.definition.js';

async function* inHalves(text: string): AsyncGenerator<Uint8Array> {
  const octets = Buffer.from(text);
  const middle = Math.floor(octets.length / 2);
  yield octets.subarray(0, middle);
  await wait(1);
  yield octets.subarray(middle);
}

/** Set by the tests of these hooks: servers of other tests do no work of their own. */
const file = process.env['MISSIVES_OUT'];

/** Writes down what the world outside would see. */
function tell(seen: object): void {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(seen)}\n`);
}

/** Waits until the test allows to go on. */
async function untilReleased(): Promise<void> {
  while (file !== undefined && !existsSync(`${file}.released`)) await wait(20);
}

/** Octets of which there is no end. */
async function* endless(): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      yield Buffer.from('more');
      await wait(50);
    }
  } finally {
    tell({ stream: 'ended' });
  }
}

/** As onSuccessSetIsDefault of RFC 9610 2.3. */
async function crown(
  { arguments: { onSuccessCrown }, createdIds, refused }: HookCall<{ onSuccessCrown?: string }>,
  tx: HookTransaction,
): Promise<void> {
  if (onSuccessCrown === undefined || refused.length > 0) return;
  const [missive] = await tx.get(missiveType, [createdIds.get(onSuccessCrown) ?? onSuccessCrown]);
  if (missive?.isMarked !== false) return;
  await tx.set(missiveType, { update: { [missive.id]: { isMarked: true } } });
}

export const hooks = {
  async accountCreated({ name }, _call, tx) {
    if (file === undefined) return;
    await tx.set(missiveType, { create: { welcome: { subject: `Welcome to ${name}` } } });
  },
  jobs: {
    slow: { every: '1d', timeout: '5m', run: untilReleased },
    count: {
      every: '2s',
      async run({ accounts, inAccount }) {
        if (file === undefined) return;
        const [first = ''] = await accounts();
        const missives = await inAccount(first, (tx) => tx.query(missiveType));
        tell({ job: process.pid, at: Date.now(), missives: missives?.length });
      },
    },
  },
  types: {
    Errand: {
      async inTransaction({ created }) {
        if (created.some(({ subject }) => subject === 'undone')) throw new Error('no errand');
      },
      afterCommit: {
        durable: true,
        timeout: '10s',
        async run({ created }, { effectId, attempt, method, inAccount }) {
          for (const { subject } of created) {
            tell({ subject, effectId, attempt, method });
            if (subject === 'twice' && attempt === 1) throw new Error('not yet');
            if (subject === 'note')
              await inAccount((tx) => tx.set(missiveType, { create: { sent: { subject } } }));
            if (subject === 'held') await untilReleased();
            if (subject === 'hang' && attempt === 1) await wait(60_000);
          }
        },
      },
    },
    Missive: {
      async inTransaction({ created }, call, tx) {
        const { createdIds } = call;
        await crown(call, tx);
        if (created.some(({ subject }) => subject === 'throw')) throw new Error('no letter');
        const keys = new Map([...createdIds].map(([key, id]) => [id, key]));
        const update = Object.fromEntries(
          created.map(({ id }) => [id, { key: keys.get(id) ?? '' }]),
        );
        if (created.length > 0) await tx.set(missiveType, { update });
        if (created.some(({ subject }) => subject === 'then wrong'))
          // biome-ignore lint/suspicious/noThenProperty: the calls that follow
          return { then: [['Missive/nothing', {}]] };
        return {};
      },
      methods: {
        set: {
          /** As onSuccessUpdateEmail of RFC 8621 7.5. */
          after({ accountId }, { arguments: { onSuccessMark = [] } }) {
            if (onSuccessMark.length === 0) return {};
            const update = Object.fromEntries(onSuccessMark.map((id) => [id, { isMarked: true }]));
            // biome-ignore lint/suspicious/noThenProperty: the calls that follow
            return { then: [['Missive/set', { accountId, update }]] };
          },
        },
      },
    },
  },
  methods: {
    'Missive/mark': async ({ accountId, id }, _call, tx) => {
      if ((await tx.get(missiveType, [id])).length === 0) return { accountId, id };
      await tx.set(missiveType, { update: { [id]: { isMarked: true } } });
      return { accountId, id };
    },
    'Missive/import': async ({ accountId, blobId, mode }, _call, tx) => {
      const blob = await tx.blob(blobId);
      if (blob === null) throw new HookRefusal('invalidArguments', 'There is no such blob.');
      const text = Buffer.from(await blob.bytes()).toString();
      const capitals = text.toUpperCase();
      const octets = mode === 'stream' ? inHalves(capitals) : capitals;
      const body = await tx.putBlob(octets, `${blob.type}; charset=utf-8`);
      if (mode === 'endless') await tx.putBlob(endless());
      if (mode === 'large') await tx.putBlob(inHalves('x'.repeat(2_000_000)));
      const [subject = ''] = text.split('\n');
      const words = text.split(/\s+/).length;
      const create = { missive: { subject, words, bodyId: body.id } };
      const { created } = await tx.set(missiveType, { create });
      const read = await tx.blob(body.id);
      if (mode === 'throw') throw new Error('no letter');
      if (mode === 'slow') await wait(60_000);
      return { accountId, id: created?.['missive']?.id ?? '', size: read?.size ?? -1 };
    },
    'Missive/search': async ({ accountId, text, position, limit }, _call, reader) => {
      const ids = await reader.query(missiveType, {
        filter: { operator: 'AND', conditions: [{ subject: text }, { minWords: 1 }] },
        sort: [{ property: 'words', isAscending: false }],
        ...(position === undefined ? {} : { position }),
        ...(limit === undefined ? {} : { limit }),
      });
      const missives = await reader.get(missiveType, ids);
      const heads: string[] = [];
      for (const id of ids) {
        const letter = missives.find((each) => each.id === id);
        const blob = await reader.blob(letter?.bodyId ?? '');
        const stream = await blob?.stream({ start: 0, end: 4 });
        let head = '';
        for await (const piece of stream ?? []) head += String(piece);
        heads.push(head);
      }
      return { accountId, ids: [...ids], heads };
    },
  },
} satisfies Hooks;
