import { describe, expect, it } from 'vitest';
import { frame, RawSocket, request } from '../websocket/websocket-client.js';
import {
  ECHO,
  type Harness,
  OTHER_TOKEN,
  post,
  RawConnection,
  startHarness,
  until,
  whole,
} from './harness.js';

/** Long enough for a busy machine: what a test looks at in between must not be over, ms. */
const STALL = 1000;
/** One user may hold half: one answer, and not two. */
const SIZE = 6_000_000;
const env = { ANSWER_MEMORY: '20000000' };

/** A server whose every answer is large, or says that there was no room for it. */
async function start(answerStall: number): Promise<Harness> {
  const harness = await startHarness({ env, timings: { answerStall } });
  const text = JSON.stringify(['Core/echo', { a: 'x'.repeat(SIZE) }, 'c']);
  harness.handle = async (_, __, { room }) => ({
    invocations: [room?.take(text.length) === false ? '["error",{"type":"noRoom"},"c"]' : text],
    createdIds: null,
  });
  return harness;
}

const hour = 3_600_000;

describe('large answers that nobody reads', () => {
  it('leave no room for more of the same user, and for some of others', async () => {
    const harness = await start(hour);
    const unread = new RawConnection(harness);
    unread.socket.pause();
    unread.write(whole(ECHO));
    await until(() => harness.answers() > SIZE);
    expect(await (await post(harness, ECHO)).text()).toContain('noRoom');
    const socket = await RawSocket.open(harness);
    socket.write(frame(JSON.stringify(request('w'))));
    await until(() => /noRoom/.test(socket.tcp.received));
    expect((await (await post(harness, ECHO, OTHER_TOKEN)).text()).length).toBeGreaterThan(SIZE);
    unread.socket.resume();
    await unread.until(/sessionState":"[^"]*"}$/);
    await until(() => harness.answers() === 0);
    expect((await (await post(harness, ECHO)).text()).length).toBeGreaterThan(SIZE);
    unread.socket.destroy();
    socket.tcp.socket.destroy();
  });

  it('are cut off for others once a reader has taken nothing for a while: HTTP', async () => {
    const harness = await start(STALL);
    const unread = new RawConnection(harness);
    unread.socket.pause();
    unread.write(whole(ECHO));
    await until(() => harness.answers() > SIZE);
    await until(async () => !/noRoom/.test(await (await post(harness, ECHO)).text()));
    unread.socket.resume();
    await unread.closed;
    expect(unread.received).not.toContain('sessionState');
    await until(() => harness.answers() === 0);
  });
});

it('large answers that nobody reads are cut off for others over WebSocket', async () => {
  const harness = await start(STALL);
  const socket = await RawSocket.open(harness);
  socket.tcp.socket.pause();
  socket.write(frame(JSON.stringify(request('w'))));
  await until(() => harness.answers() > SIZE);
  await until(async () => !/noRoom/.test(await (await post(harness, ECHO)).text()));
  socket.tcp.socket.resume();
  await socket.tcp.closed;
  await until(() => harness.answers() === 0);
});

it('answers of one frame that nobody reads are cut off for others too', async () => {
  const harness = await startHarness({
    env: { ANSWER_MEMORY: '2000000' },
    timings: { answerStall: STALL },
  });
  const text = JSON.stringify(['Core/echo', { a: 'x'.repeat(200_000) }, 'c']);
  let count = 0;
  harness.handle = async (_, __, { room }) => {
    count += 1;
    return {
      invocations: [room?.take(text.length) === false ? '["error",{"type":"noRoom"},"c"]' : text],
      createdIds: null,
    };
  };
  const socket = await RawSocket.open(harness);
  socket.tcp.socket.pause();
  // This process doesn't hold octets that the system takes: one answer after the other until it
  // takes no more.
  for (let sent = 1; harness.held('u1').slots < 5; sent += 1) {
    socket.write(frame(JSON.stringify(request(`w${sent}`))));
    await until(() => count === sent);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await until(async () => !/noRoom/.test(await (await post(harness, ECHO)).text()));
  socket.tcp.socket.resume();
  await socket.tcp.closed;
  await until(() => harness.answers() === 0);
});
