import { JamClient } from 'jmap-jam';

export function openJam(url, bearerToken) {
  const jam = new JamClient({
    sessionUrl: `${url}/.well-known/jmap`,
    bearerToken,
    // It knows the types of mail: of others it must be told which capability has them.
    customCapabilities: {
      Todo: 'urn:example:todos',
      Gadget: 'https://example.com/jmap/gadgets',
      Blob: 'urn:ietf:params:jmap:blob',
    },
  });
  return { jam, api: jam.api };
}
