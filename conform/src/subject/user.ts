import { Client } from '../client/client.js';
import { type Connection, HttpConnection, type TransportName } from '../client/connection.js';
import { EventStream } from '../client/events.js';
import { Http, type HttpAnswer } from '../client/http.js';
import { asMap } from '../client/json.js';
import { NoAnswerError } from '../client/no-answer.js';
import { type Handshake, Socket } from '../client/socket.js';
import { SocketConnection, throwNoAnswer } from '../client/socket-connection.js';
import type { Watching } from '../client/watching.js';
import { NotApplicable } from '../not-applicable.js';
import { UnexpectedError } from '../unexpected.js';
import { Session, SessionError, WS } from './session.js';

export const CORE = 'urn:ietf:params:jmap:core';
export const BLOB = 'urn:ietf:params:jmap:blob';
export const WEBSOCKET = 'urn:ietf:params:jmap:websocket';
export const QUOTA = 'urn:ietf:params:jmap:quota';
export const PRINCIPALS = 'urn:ietf:params:jmap:principals';
/** A key in accounts alone, which no request names (RFC 9670 1.5.2). */
export const OWNER = `${PRINCIPALS}:owner`;

/** The variables of the event source's template (RFC 8620 7.3). */
export interface EventVariables {
  readonly types: string;
  readonly closeafter: string;
  readonly ping: string;
}

/** The id that a client sends which connects again (RFC 8620 7.3). */
export interface LastEvent {
  readonly lastEventId: string;
}

/** Returns the URL of a session's WebSocket (RFC 8887 3); null where it has none. */
function readSocketUrl(session: Session): string | null {
  const { url } = asMap(session.capabilities[WEBSOCKET]);
  return url === undefined ? null : session.expandTemplate(`${WEBSOCKET} url`, url, WS);
}

/** Holds one user: the session as it was found, and the ways to speak with the server. */
export class User {
  readonly session: Session;
  readonly http: Http;
  readonly watching: Watching;
  readonly #connection: Connection;

  private constructor(session: Session, http: Http, watching: Watching, connection: Connection) {
    this.session = session;
    this.http = http;
    this.watching = watching;
    this.#connection = connection;
  }

  /**
   * Reads the session of a user and opens the connection that the transport needs. Throws
   * SessionError where the session offers no WebSocket, NoAnswerError where it can't be opened.
   */
  static async connect(
    url: string,
    authorization: string,
    transport: TransportName,
    watching: Watching,
  ): Promise<User> {
    const http = new Http(authorization, watching);
    const session = await Session.read(http, url);
    http.knows(session.url);
    if (transport === 'http') {
      const connection = new HttpConnection(http, () => session.expand('apiUrl'));
      return new User(session, http, watching, connection);
    }
    const socketUrl = readSocketUrl(session);
    if (socketUrl === null)
      throw new SessionError(`The session has no ${WEBSOCKET} with a url: there is no WebSocket.`);
    const open = async (): Promise<Socket> => {
      const socket = await Socket.open(socketUrl, authorization, watching);
      if (typeof socket !== 'number') return socket;
      await http.confirm(socket);
      throw new NoAnswerError(`${socketUrl} refuses the handshake with ${socket}.`);
    };
    const connection = new SocketConnection(await open().catch(throwNoAnswer), open);
    return new User(session, http, watching, connection);
  }

  /** Returns the transport that requests take. */
  get transport(): TransportName {
    return this.#connection.transport;
  }

  /** Returns a client whose requests name core and these capabilities in `using` (RFC 8620 3.3). */
  buildClient(...capabilities: readonly string[]): Client {
    const using = [...new Set([CORE, ...capabilities])];
    const { standIns, strict } = this.watching;
    return new Client(this.#connection, using, strict, standIns);
  }

  /**
   * Opens a WebSocket beside the one of the run. Returns the HTTP status where the handshake is
   * refused. Throws NotApplicable where the session offers none.
   */
  async openSocket(handshake: Handshake = {}): Promise<Socket | number> {
    const url = readSocketUrl(this.session);
    if (url === null) throw new NotApplicable(`The session has no ${WEBSOCKET}.`);
    const socket = await Socket.open(url, this.http.authorization, this.watching, handshake);
    const hasOwn = handshake.headers?.['authorization'] === undefined;
    if (hasOwn && typeof socket === 'number') await this.http.confirm(socket);
    return socket;
  }

  /**
   * Opens an event source (RFC 8620 7.3). The stream has the status of the answer, whatever it is.
   */
  async openEvents(
    { lastEventId, ...variables }: Partial<EventVariables & LastEvent> = {},
    authorization = this.http.authorization,
  ): Promise<EventStream> {
    const all = { types: '*', closeafter: 'no', ping: '0', ...variables };
    const url = this.session.expand('eventSourceUrl', all);
    const stream = await EventStream.open(url, authorization, this.watching, lastEventId);
    if (authorization === this.http.authorization) await this.http.confirm(stream.status);
    return stream;
  }

  /** Reads the Session anew, which may have changed since the run began. */
  async readSession(): Promise<Session> {
    return await Session.read(this.http, this.session.url);
  }

  /** Uploads octets (RFC 8620 6.1). */
  upload(accountId: string, body: string | Uint8Array, type: string): Promise<HttpAnswer> {
    return this.http.send(this.session.expand('uploadUrl', { accountId }), {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
  }

  /** Uploads octets and returns their blobId. Throws UnexpectedError where the answer has none. */
  async uploadBlob(accountId: string, body: string | Uint8Array, type: string): Promise<string> {
    const { status, text, json } = await this.upload(accountId, body, type);
    const { blobId } = asMap(json);
    if (typeof blobId !== 'string')
      throw new UnexpectedError(`The upload answered ${status}: ${text}`);
    return blobId;
  }

  /** Downloads a blob (RFC 8620 6.2). */
  download(
    accountId: string,
    blobId: string,
    { name = 'a.txt', type = 'text/plain' } = {},
  ): Promise<HttpAnswer> {
    return this.http.send(this.session.expand('downloadUrl', { accountId, blobId, name, type }));
  }

  /** Closes the connection. */
  close(): void {
    this.#connection.close();
  }
}
