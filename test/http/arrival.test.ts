import { describe, expect, it } from 'vitest';
import {
  ECHO,
  gate,
  type Harness,
  head,
  JSON_HEADER,
  post,
  RawConnection,
  startHarness,
  whole,
} from './harness.js';

async function answersTo(harness: Pick<Harness, 'url'>, texts: readonly string[]): Promise<string> {
  const raw = new RawConnection(harness);
  for (const text of texts) {
    raw.write(text);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const received = await raw.until(/(sessionState|"status":\d+).*}/);
  raw.socket.destroy();
  return received;
}

describe('a body is the same however its packets come', () => {
  it('with its head, in two, by chunks in one packet, and after its head', async () => {
    const harness = await startHarness();
    const request = whole(ECHO);
    const end = request.indexOf('\r\n\r\n') + 4;
    const size = ECHO.length.toString(16);
    const chunked = head('/jmap', [JSON_HEADER, 'Transfer-Encoding: chunked']);
    for (const texts of [
      [request],
      [request.slice(0, end), request.slice(end)],
      [request.slice(0, end + 5), request.slice(end + 5)],
      [`${chunked}${size}\r\n${ECHO}\r\n0\r\n\r\n`],
      [`${chunked}${size}\r\n${ECHO.slice(0, 9)}`, `${ECHO.slice(9)}\r\n0\r\n\r\n`],
    ]) {
      expect(await answersTo(harness, texts)).toMatch(/^HTTP\/1[.]1 200 [\s\S]*"a":1/);
    }
  });

  it('of exactly maxSizeRequest octets is taken, of one more refused', async () => {
    const harness = await startHarness({ env: { MAX_SIZE_REQUEST: '1000' } });
    const chunked = head('/jmap', [JSON_HEADER, 'Transfer-Encoding: chunked']);
    for (const [octets, status] of [
      [1000, 200],
      [1001, 400],
    ] as const) {
      const body = ECHO.padEnd(octets);
      const inChunk = `${chunked}${octets.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      for (const text of [whole(body), inChunk]) {
        expect(await answersTo(harness, [text])).toMatch(new RegExp(`^HTTP/1[.]1 ${status} `));
      }
    }
  });

  it('requests in one packet are answered in order, on one connection', async () => {
    const harness = await startHarness();
    const raw = new RawConnection(harness);
    raw.write(whole(ECHO) + whole('{') + whole(ECHO));
    const received = await raw.until(
      / 200 [\s\S]* 400 [\s\S]* 200 [\s\S]*"a":1[\s\S]*sessionState/,
    );
    expect(received.match(/HTTP\/1[.]1 \d+/g)).toEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 400',
      'HTTP/1.1 200',
    ]);
    raw.socket.destroy();
  });
});

describe('a body that comes in pieces while its token is looked up', () => {
  it('is taken whole', async () => {
    const harness = await startHarness();
    const { users } = harness;
    const authenticate = users.authenticate.bind(users);
    const request = whole(ECHO);
    const middle = request.length - 9;
    const chunked = head('/jmap', [JSON_HEADER, 'Transfer-Encoding: chunked']);
    const chunks = [...ECHO].map((octet) => `1\r\n${octet}\r\n`).join('');
    for (const texts of [
      [`${chunked}${chunks}0\r\n\r\n`],
      [request.slice(0, middle), request.slice(middle)],
    ]) {
      const look = gate();
      users.authenticate = async (token) => {
        await look.passed;
        return authenticate(token);
      };
      const answer = answersTo(harness, texts);
      await new Promise((resolve) => setTimeout(resolve, 100));
      users.authenticate = authenticate;
      look.open();
      expect(await answer).toMatch(/^HTTP\/1[.]1 200 [\s\S]*"a":1/);
    }
  });
});

describe('a client that leaves while its token is looked up', () => {
  it('frees its slot, whether its body had come or not', async () => {
    const harness = await startHarness({ env: { MAX_CONCURRENT_REQUESTS: '1' } });
    const { users } = harness;
    const authenticate = users.authenticate.bind(users);
    for (const text of [whole(ECHO, ECHO.length + 10), whole(ECHO)]) {
      const asked = gate();
      const look = gate();
      users.authenticate = async (token) => {
        asked.open();
        await look.passed;
        return authenticate(token);
      };
      const leaves = new RawConnection(harness).write(text);
      await asked.passed;
      leaves.socket.destroy();
      await leaves.closed;
      await new Promise((resolve) => setTimeout(resolve, 30));
      users.authenticate = authenticate;
      look.open();
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect((await post(harness, ECHO)).status).toBe(200);
    }
  });
});
