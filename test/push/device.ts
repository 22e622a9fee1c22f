import type { ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { createAccount, createToken } from '../../src/accounts/index.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { Client, CORE, TODOS } from '../support/client.js';
import { eventually } from '../support/poll.js';
import { certificate, type Fleet } from './random/fleet.js';
import { type Sink, startSink } from './webpush/sink.js';

/** A message that came to a device. */
export interface PushMessage {
  readonly '@type': string;
  readonly pushSubscriptionId?: string;
  readonly verificationCode?: string;
  readonly changed?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const ids = createIdGenerator();
let users = 0;

/** A user with an account, and the push service of one device. */
export class Device {
  readonly messages: PushMessage[] = [];
  /** Answers a request. */
  respond: (response: ServerResponse, message: PushMessage) => void = (response) =>
    response.writeHead(201).end();
  readonly fleet: Fleet;
  readonly accountId: string;
  readonly token: string;
  readonly #sink: Sink;

  static async make(fleet: Fleet): Promise<Device> {
    users += 1;
    const user = `device${users}`;
    const accountId = await createAccount(fleet.prisma, ids, { name: 'A', user });
    const token = await createToken(fleet.prisma, ids, { user });
    let device: Device | null = null;
    const sink = await startSink(({ body }, response) => {
      const message = JSON.parse(body.toString()) as PushMessage;
      device?.messages.push(message);
      device?.respond(response, message);
    }, certificate);
    device = new Device(fleet, { accountId, token, sink });
    return device;
  }

  private constructor(fleet: Fleet, made: { accountId: string; token: string; sink: Sink }) {
    this.fleet = fleet;
    this.accountId = made.accountId;
    this.token = made.token;
    this.#sink = made.sink;
  }

  /** Returns a client of a server that runs. */
  client(index = 0): Client {
    return new Client(this.fleet.urls[index] ?? '', this.token, [CORE, TODOS]);
  }

  /** Calls PushSubscription/set to create one. */
  create(more: object = {}): Promise<unknown> {
    const create = { k: { deviceClientId: 'd', url: this.#sink.url('/d').href, ...more } };
    return this.client().ok('PushSubscription/set', { create });
  }

  /** Creates one and verifies it; resolves to its id. */
  async subscribe(more: object = {}): Promise<string> {
    await this.create(more);
    return this.verify();
  }

  /** Gives the code of the verification that came or comes. */
  async verify(): Promise<string> {
    await eventually(() => expect(this.verifications).toHaveLength(1));
    const { pushSubscriptionId: id = '', verificationCode } = this.verifications[0] ?? {};
    const update = { [id]: { verificationCode } };
    const { updated } = await this.client().ok('PushSubscription/set', { update });
    expect(updated).toEqual({ [id]: null });
    return id;
  }

  /** Creates a Todo; resolves to the new state. */
  async write(index = 0): Promise<string> {
    const args = { accountId: this.accountId, create: { k: { text: 'x' } } };
    const { newState } = await this.client(index).ok('Todo/set', args);
    return newState as string;
  }

  get verifications(): readonly PushMessage[] {
    return this.messages.filter((message) => message['@type'] === 'PushVerification');
  }

  /** The states of Todo that the device was told, one after the other. */
  get states(): readonly (string | undefined)[] {
    const changes = this.messages.filter(({ changed }) => changed !== undefined);
    return changes.map(({ changed }) => changed?.[this.accountId]?.['Todo']);
  }

  close(): Promise<void> {
    return this.#sink.close();
  }
}
