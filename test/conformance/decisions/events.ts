import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import { EventStream } from '../../../conform/src/client/events.js';
export const eventServerDecisions = serverChecks('7.3', [
  {
    id: 'events-parameters',
    level: 'must',
    rule:
      'Wrong or missing parameters, and types that nobody has, are a problem with status 400; ' +
      'POST is 405.',
    run: async (server) => {
      const { http, session, watching } = server.user;
      const right = { types: '*', closeafter: 'no', ping: '0' };
      const whole = session.expand('eventSourceUrl', right);
      const refused = async (url: string): Promise<void> => {
        // A stream, where it opens after all, would have no end.
        const { status, contentType, close } = await EventStream.open(
          url,
          http.authorization,
          watching,
        );
        close();
        expect([url, status, contentType]).toEqual([
          url,
          400,
          expect.stringMatching(/^application\/problem\+json\b/),
        ]);
      };
      for (const wrong of [
        ...['maybe', '', 'State', 'state,no'].map((closeafter) => ({ closeafter })),
        ...['-1', 'abc', '1.5', '', '1e3', ' 1'].map((ping) => ({ ping })),
        ...['', 'Nope', '*,*', ','].map((types) => ({ types })),
      ])
        await refused(session.expand('eventSourceUrl', { ...right, ...wrong }));
      for (const name of Object.keys(right)) {
        const url = new URL(whole);
        url.searchParams.delete(name);
        await refused(url.href);
      }
      const { status, headers } = await http.send(whole, { method: 'POST' });
      expect([status, headers.get('allow')]).toEqual([405, expect.stringContaining('GET')]);
    },
  },
]);
