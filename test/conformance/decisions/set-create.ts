import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { buildServerSet, create } from '../../../conform/src/checks/set-create.js';
import { NOTHING_SET } from '../../../conform/src/client/answers.js';
import { anyString, entry, serverId } from '../../../conform/src/expected.js';
import { needClosed } from '../../../conform/src/subject/type-view.js';

export const setCreateDecisions = typeChecks('5.3', { methods: ['get', 'set'], text: true }, [
  {
    id: 'set-create-answer-exact',
    level: 'must',
    rule:
      'A create is one step of the state, and created has exactly the id, created, updated and ' +
      'what was left out, nothing that the client sent.',
    async run(subject) {
      const before = await subject.readState(subject.A1);
      const answer = await create(subject, { k: subject.create('a') });
      const { defaults } = subject.profile;
      expect(answer).toEqual({
        ...subject.pickDeclared('set', answer),
        ...NOTHING_SET,
        accountId: subject.A1,
        oldState: before,
        newState: String(Number(before) + 1),
        created: { k: { id: serverId, ...subject.times, ...defaults } },
      });
      const { id, ...reported } = entry(answer.created, 'k');
      expect(await subject.read(id)).toEqual({ ...subject.buildShown('a'), ...reported, id });
    },
  },
  {
    id: 'set-create-server-set-refused',
    level: 'must',
    rule:
      'A create that gives a property which only the server sets is invalidProperties, whatever ' +
      'the value is.',
    async run(subject) {
      for (const [name, object] of Object.entries(await buildServerSet(subject))) {
        const { notCreated } = await create(subject, { k: object });
        expect({ name, notCreated }).toEqual({
          name,
          notCreated: { k: subject.matchSetError('invalidProperties', [name]) },
        });
      }
    },
  },
  {
    id: 'set-create-unknown-null',
    level: 'must',
    rule: 'An unknown property is invalidProperties also where its value is null.',
    applies: needClosed,
    async run(subject) {
      const k = { ...subject.giveBeside(), [subject.profile.text]: 5, foo: 1, bar: null, 'x/y': 2 };
      const m = { ...subject.create('a'), foo: null };
      const answer = await create(subject, { k, m });
      const { text } = subject.profile;
      expect(answer.created).toBeNull();
      expect(answer.notCreated).toEqual({
        k: subject.matchSetError('invalidProperties', [text, 'foo', 'bar', 'x/y']),
        m: subject.matchSetError('invalidProperties', ['foo']),
      });
    },
  },
  {
    id: 'set-create-not-object',
    level: 'must',
    rule: 'A create that is no object is invalidProperties by itself, the others are made.',
    async run(subject) {
      const wrong = { a: null, b: 5, c: 'x', d: [], e: true };
      const answer = await create(subject, { ...wrong, good: subject.create('a') });
      expect(Object.keys(answer.created ?? {})).toEqual(['good']);
      expect(answer.notCreated).toEqual(
        Object.fromEntries(
          Object.keys(wrong).map((key) => [
            key,
            expect.objectContaining({ type: 'invalidProperties', description: anyString }),
          ]),
        ),
      );
    },
  },
]);
