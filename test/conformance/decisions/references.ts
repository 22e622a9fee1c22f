import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import { buildReference, refer } from '../../../conform/src/checks/references-echoes.js';
import { WRONG } from '../../../conform/src/checks/references-forms.js';

export const referencesDecisions = serverChecks('3.7', [
  {
    id: 'references-shape-error',
    level: 'must',
    rule:
      'A value that is no ResultReference is invalidResultReference; further members of one are ' +
      'ignored.',
    async run(server) {
      const failed = server.matchError('invalidResultReference');
      for (const reference of WRONG)
        expect(await refer(server, { x: 1 }, { '#x': reference })).toEqual(failed);
      const more = buildReference('/x', { more: 1, '#path': 2 });
      expect(await refer(server, { x: 1 }, { '#y': more })).toEqual(['Core/echo', { y: 1 }]);
    },
  },
]);
