import { WebSocket } from 'partysocket';
import WS from 'ws';

interface Answer {
  readonly '@type': 'Response' | 'RequestError';
  readonly requestId: string;
  readonly methodResponses: [name: string, args: unknown, callId: string][];
}

export function openSocket(url: string, token: string, options: object = {}) {
  // Asked for at each connect, also after a connection was lost: a ticket is good once, for a
  // minute.
  const withTicket = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/jmap/ticket`, { method: 'POST', headers });
    if (!response.ok) throw new Error(`No ticket: ${response.status}`);
    const { ticket } = (await response.json()) as { ticket: string };
    return `${url.replace(/^http/, 'ws')}/jmap/ws?ticket=${ticket}`;
  };
  // Node 20 has no WebSocket of its own; a browser needs no such option.
  const socket = new WebSocket(withTicket, 'jmap', { WebSocket: WS, ...options });
  const waiting = new Map<string, (answer: Answer) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(data) as Answer;
    waiting.get(answer.requestId)?.(answer);
    waiting.delete(answer.requestId);
  });
  let requests = 0;
  return {
    socket,
    /** A message sent while there is no connection waits in partysocket until there is one. */
    request(using: string[], methodCalls: [name: string, args: object, callId: string][]) {
      requests += 1;
      const id = `r${requests}`;
      const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
      socket.send(JSON.stringify({ '@type': 'Request', id, using, methodCalls }));
      return answered;
    },
  };
}
