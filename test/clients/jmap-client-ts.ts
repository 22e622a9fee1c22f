import { Client } from 'jmap-client-ts';
import { FetchTransport } from 'jmap-client-ts/lib/utils/fetch-transport.js';

export async function openClient(url: string, accessToken: string) {
  const client = new Client({
    sessionUrl: `${url}/.well-known/jmap`,
    accessToken,
    transport: new FetchTransport((target, init) => fetch(target, init)),
    // Without it fetch says text/plain, which is notJSON (RFC 8620 3.6.1).
    httpHeaders: { 'Content-Type': 'application/json' },
  });
  await client.fetchSession();
  return {
    client,
    /** Its methods are those of mail; this is what they all call, with any name. */
    call: <Answer>(method: string, args: object): Promise<Answer> =>
      client['request'](method, args),
  };
}
