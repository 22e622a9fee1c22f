import { expect } from 'expect';
import { serverChecks } from '../check.js';
import { asMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';

/** RFC 8620 3.8: in which language that is what people may read. */

/** RFC 9110 8.5.1: tags of languages, with commas between them. */
const TAGS = /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*( *, *[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*)*$/;

export const languageChecks = serverChecks('3.8', [
  {
    id: 'language-told',
    level: 'should',
    rule:
      'Where a problem is told in words (title, detail), Content-Language says in which language ' +
      'they are.',
    transport: 'http',
    async run({ user }) {
      const { headers, json } = await user.http.send(user.session.expand('apiUrl'), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'accept-language': 'fr-CH, en;q=0.5' },
        body: 'x',
      });
      const { title, detail } = asMap(json);
      const isTold = [title, detail].some((one) => typeof one === 'string' && one !== '');
      if (!isTold) throw new NotApplicable('Problems have neither title nor detail.');
      expect(headers.get('content-language')).toMatch(TAGS);
    },
  },
]);
