import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { get, MANY } from '../../../conform/src/checks/get.js';
import { sameMembers, serverId } from '../../../conform/src/expected.js';
import { NotApplicable } from '../../../conform/src/not-applicable.js';

export const getDecisions = typeChecks('5.1', { methods: ['get', 'set'], text: true }, [
  {
    id: 'get-shown',
    level: 'must',
    rule:
      'An object has what was given, its defaults, and id, created and updated; the state is a ' +
      'decimal number.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'whole');
      expect(await get(subject, { ids: [id], ...subject.stored })).toEqual({
        accountId: subject.A1,
        state: expect.stringMatching(/^(0|[1-9]\d*)$/),
        list: [{ ...subject.buildShown('whole'), id, ...subject.times }],
        notFound: [],
      });
    },
  },
  {
    id: 'get-impossible-ids',
    level: 'must',
    rule: 'A string that can be no id is notFound as any other that isn’t there.',
    needs: { room: 0 },
    async run(subject) {
      const ids = ['', ' ', 'a b', 'é', 'x'.repeat(300), '__proto__', "' OR 1=1 --", '\u0000'];
      const answer = await get(subject, { ids });
      expect(answer.list).toEqual([]);
      expect(answer.notFound).toEqual(sameMembers(ids));
    },
  },
  {
    id: 'get-most-ids-as-sent',
    level: 'must',
    rule: 'Ids count as they were sent, repeated ones too.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const most = subject.server.user.session.readLimit('maxObjectsInGet');
      if (most > MANY) throw new NotApplicable(`maxObjectsInGet is ${most}, this tries ${MANY}.`);
      const ids = Array.from({ length: most }, () => id);
      expect((await get(subject, { ids })).list).toHaveLength(1);
      const args = { accountId: subject.A1, ids: [...ids, id] };
      expect(await subject.client.call(`${subject.type}/get`, args)).toEqual(
        subject.matchError('requestTooLarge'),
      );
    },
  },
  {
    id: 'ids-ordered',
    section: '1.2',
    level: 'must',
    rule: 'Ids have at most 64 octets and are in order of creation.',
    needs: { room: 50 },
    async run(subject) {
      const texts = Array.from({ length: 50 }, (_, n) => `n${n}`);
      const ids = await subject.make(subject.A1, ...texts);
      for (const id of ids) expect(id).toEqual(serverId);
      expect([...ids].sort()).toEqual(ids);
    },
  },
]);
