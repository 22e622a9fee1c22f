import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  AnswerError,
  JsonClient,
  type JsonClientOptions,
  NoAnswerError,
} from '../../src/outbound/json-client.js';
import { parseSubnet } from '../../src/outbound/subnet.js';
import { makeAuthority } from '../support/certificates.js';

type Respond = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function openClient(options: Partial<JsonClientOptions> = {}): JsonClient {
  const loopback = parseSubnet('127.0.0.1');
  const allow = loopback === null ? [] : [loopback];
  const client = new JsonClient({ allow, variable: 'OIDC_ALLOW', ...options });
  ends.push(() => client.close());
  return client;
}

/** Starts a server of the test's own; resolves to its URL. */
async function serve(respond: Respond, onSocket?: (socket: Socket) => void): Promise<URL> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => respond(request, response, body));
  });
  if (onSocket !== undefined) server.on('connection', onSocket);
  return new URL(`http://127.0.0.1:${await listen(server)}`);
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const answer = (status: number, body: string, headers = {}): Respond => {
  return (_, response) => response.writeHead(status, headers).end(body);
};

describe('Reading JSON', () => {
  it('gives the value, and asks for JSON without an encoding', async () => {
    const asked: unknown[] = [];
    const url = await serve(({ method, url: path, headers }, response) => {
      asked.push([method, path, headers.accept, headers['accept-encoding']]);
      response.end('{"keys":[]}');
    });
    expect(await openClient().readJson(new URL('/keys?a=b', url))).toEqual({ keys: [] });
    expect(asked).toEqual([['GET', '/keys?a=b', 'application/json', 'identity']]);
  });

  it.each([404, 410])('of a document that is not there (%i) gives undefined', async (status) => {
    const url = await serve(answer(status, '<h1>Nothing here</h1>'));
    expect(await openClient().readJson(url)).toBeUndefined();
  });

  it('follows no redirect', async () => {
    const paths: unknown[] = [];
    const url = await serve(({ url: path }, response) => {
      paths.push(path);
      response.writeHead(302, { Location: '/there' }).end('{}');
    });
    const reading = openClient().readJson(new URL('/here?secret=1', url));
    await expect(reading).rejects.toThrow(new AnswerError(`${url.origin}/here answers 302`));
    expect(paths).toEqual(['/here?secret=1']);
  });

  it.each([
    ['an error', 500, '{"error":"s3cret"}', 'answers 500'],
    ['a page', 200, '<!doctype html>s3cret', 'answers no JSON'],
    ['nothing', 200, '', 'answers no JSON'],
    ['half of a value', 200, '{"keys":', 'answers no JSON'],
  ])('rejects where the answer is %s, without its text', async (_, status, body, problem) => {
    const url = await serve(answer(status, body));
    const reading = openClient().readJson(url);
    await expect(reading).rejects.toThrow(new AnswerError(`${url.href} ${problem}`));
  });

  it('takes a body of a megabyte and no larger one, announced or not', async () => {
    const sizes = [1_000_000, 1_000_001];
    const url = await serve(({ url: path }, response) => {
      const text = `"${'a'.repeat(Number(path?.slice(1)) - 2)}"`;
      response.write(text.slice(0, 10));
      response.end(text.slice(10));
    });
    const client = openClient();
    expect(await client.readJson(new URL(`/${sizes[0]}`, url))).toHaveLength(999_998);
    const reading = client.readJson(new URL(`/${sizes[1]}`, url));
    await expect(reading).rejects.toThrow(NoAnswerError);
    await expect(reading).rejects.toThrow('larger than 1000000 octets');
  });

  it.each<[string, Respond]>([
    ['never begins', () => undefined],
    [
      'never ends',
      (_, response) => {
        const timer = setInterval(() => response.write(' '), 20);
        response.once('close', () => clearInterval(timer));
      },
    ],
  ])('rejects where the answer %s', async (_, respond) => {
    const reading = openClient({ timeout: 150 }).readJson(await serve(respond));
    await expect(reading).rejects.toThrow(NoAnswerError);
    await expect(reading).rejects.toThrow('the answer took too long');
  });

  it('rejects where the answer breaks off', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('{}');
      setImmediate(() => response.destroy());
    });
    await expect(openClient().readJson(url)).rejects.toThrow(NoAnswerError);
  });

  it('rejects where nobody listens', async () => {
    const port = await listen(createServer());
    await ends.pop()?.();
    const reading = openClient().readJson(new URL(`http://127.0.0.1:${port}/`));
    await expect(reading).rejects.toThrow(NoAnswerError);
    await expect(reading).rejects.toThrow('ECONNREFUSED');
  });
});

describe('Addresses', () => {
  const resolve = async (name: string): Promise<readonly string[]> => {
    if (name === 'gone.test') throw new Error('EAI_AGAIN');
    return name === 'half.test' ? ['127.0.0.1', '10.0.0.1'] : ['127.0.0.1'];
  };

  it.each([
    ['http://127.0.0.1:1/', '127.0.0.1 is not in OIDC_ALLOW: other addresses are asked over https'],
    ['https://127.0.0.1:1/', '127.0.0.1 is not public, and not in OIDC_ALLOW'],
    ['https://[::ffff:127.0.0.1]:1/', 'is not public, and not in OIDC_ALLOW'],
    ['https://169.254.169.254/', '169.254.169.254 is not public, and not in OIDC_ALLOW'],
    ['http://8.8.8.8/', '8.8.8.8 is not in OIDC_ALLOW'],
    ['http://name.test:1/', '127.0.0.1 is not in OIDC_ALLOW'],
    ['https://name.test:1/', '127.0.0.1 is not public, and not in OIDC_ALLOW'],
    ['https://gone.test:1/', 'gone.test leads nowhere'],
    ['file:///etc/passwd', 'not in OIDC_ALLOW'],
  ])('%s is not asked where none are allowed', async (url, problem) => {
    const reading = openClient({ allow: [], resolve }).readJson(new URL(url));
    await expect(reading).rejects.toThrow(NoAnswerError);
    await expect(reading).rejects.toThrow(problem);
  });

  it('of a name must all be allowed', async () => {
    const { port } = await serve(answer(200, '1'));
    const client = openClient({ resolve });
    expect(await client.readJson(new URL(`http://name.test:${port}/`))).toBe(1);
    const reading = client.readJson(new URL(`http://half.test:${port}/`));
    await expect(reading).rejects.toThrow('10.0.0.1 is not in OIDC_ALLOW');
  });

  it('of a name are those of the system, its table of hosts included', async () => {
    const { port } = await serve(answer(200, '1'));
    const allow = ['127.0.0.0/8', '::1'].map(parseSubnet).filter((one) => one !== null);
    expect(await openClient({ allow }).readJson(new URL(`http://localhost:${port}/`))).toBe(1);
  });

  it('prove who they are by a certificate that Node trusts', async () => {
    const server = createTlsServer(makeAuthority().issue(['127.0.0.1']), (_, response) => {
      response.end('1');
    });
    const url = new URL(`https://127.0.0.1:${await listen(server)}/`);
    const reading = openClient().readJson(url);
    await expect(reading).rejects.toThrow(NoAnswerError);
    await expect(reading).rejects.toThrow(/certificate/i);
  });
});

describe('Posting a form', () => {
  const FORM = new URLSearchParams({ token: 't&ken' });

  it('sends it with the authorisation', async () => {
    const asked: unknown[] = [];
    const url = await serve(({ method, headers }, response, body) => {
      const { authorization, 'content-type': type } = headers;
      asked.push([method, body, authorization, type]);
      response.end('{"active":true}');
    });
    const posted = await openClient().postForm(url, FORM, 'Basic abc');
    expect(posted).toEqual({ status: 200, json: { active: true } });
    const type = 'application/x-www-form-urlencoded';
    expect(asked).toEqual([['POST', 'token=t%26ken', 'Basic abc', type]]);
  });

  it.each([
    ['an error', 401, '{"error":"invalid_client"}', { error: 'invalid_client' }],
    ['a redirect', 307, '', undefined],
    ['a page', 200, '<p>', undefined],
  ])('gives the status of %s', async (_, status, body, json) => {
    const url = await serve(answer(status, body, { Location: '/elsewhere' }));
    const posted = await openClient().postForm(url, FORM, 'Basic abc');
    expect(posted).toEqual({ status, json });
  });

  it('uses one connection for all, and a fresh one where that was closed', async () => {
    const sockets: Socket[] = [];
    const url = await serve(answer(200, '1'), (socket) => sockets.push(socket));
    const client = openClient();
    for (let count = 0; count < 3; count += 1) await client.postForm(url, FORM, 'Basic abc');
    expect(sockets).toHaveLength(1);
    sockets[0]?.resetAndDestroy();
    expect(await client.postForm(url, FORM, 'Basic abc')).toEqual({ status: 200, json: 1 });
    expect(sockets).toHaveLength(2);
  });

  it('tells nothing of it where there is no answer', async () => {
    const url = await serve((_, response) => response.destroy());
    const secret = new URL('?key=s3cret', url);
    const posting = openClient().postForm(
      secret,
      new URLSearchParams({ token: 's3cret' }),
      's3cret',
    );
    await expect(posting).rejects.toThrow(NoAnswerError);
    await expect(posting).rejects.toThrow(/^(?!.*s3cret)/s);
  });
});
