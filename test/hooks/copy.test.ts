import { afterEach, expect, test } from 'vitest';
import { type Json, Rig } from '../methods/rig.js';

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

test('RFC 8620 5.4: check refuses single copies, whose originals stay', async () => {
  const judged: Json[] = [];
  const heard: string[] = [];
  rig = new Rig(
    {},
    {
      hooks: {
        types: {
          Widget: {
            check(wanted, call) {
              for (const { key, before, after, refuse } of wanted) {
                if (call.accountId !== 'a2') continue;
                judged.push([key, before, (after as Json).title]);
                if ((after as Json).title === 'bad')
                  refuse({ type: 'forbidden', description: 'no' });
              }
            },
            async inTransaction({ created }, call) {
              if (call.accountId === 'a2') heard.push(...created.map(({ title }: Json) => title));
            },
          },
        },
      },
    },
  );
  const [good, bad] = await rig.create('Widget', [{ title: 'good' }, { title: 'bad' }]);
  const [[, answer], [, destroyed]] = (await rig.calls([
    [
      'Widget/copy',
      {
        fromAccountId: 'a1',
        accountId: 'a2',
        create: { a: { id: good }, b: { id: bad } },
        onSuccessDestroyOriginal: true,
      },
    ],
  ])) as [Json, Json];
  expect(judged).toEqual([
    ['a', null, 'good'],
    ['b', null, 'bad'],
  ]);
  expect(Object.keys(answer.created)).toEqual(['a']);
  expect(answer.notCreated).toEqual({ b: { type: 'forbidden', description: 'no' } });
  expect(destroyed.destroyed).toEqual([good]);
  expect(heard).toEqual(['good']);
});
