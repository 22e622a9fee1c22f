import { CORE } from '../../support/client.js';
import { type Receiver as Decoder, makeReceiver } from '../webpush/receiver.js';
import type { PushService } from './push-service.js';
import { type Changed, pause, pauseWhileRunning, Receiver } from './receiver.js';
import { isStop } from './world.js';

interface Message {
  readonly '@type': string;
  readonly pushSubscriptionId: string;
  readonly verificationCode: string;
  readonly changed: Changed;
}

/** A client with a push subscription, whose messages may be encrypted (RFC 8620 7.2). */
export class SubscriptionReceiver extends Receiver {
  readonly #service: PushService;
  readonly #path: string;
  readonly #decoder: Decoder | null;
  #id: string | null = null;
  #verifications = 0;
  #isVerified = false;

  constructor(world: Receiver['world'], name: string, service: PushService) {
    super(world, name);
    this.#service = service;
    this.#path = `/${world.seed}/${name}`;
    this.#decoder = this.random.chance(0.5) ? makeReceiver() : null;
  }

  async run(): Promise<void> {
    await pauseWhileRunning(this.world, this.random.integer(0, 300));
    const url = this.#service.listen(this.#path, (body, isAccepted) =>
      this.#take(body, isAccepted),
    );
    // Without an answer it may be there all the same, and its verification comes.
    const answer = await this.#call({
      create: {
        k: {
          ...{ deviceClientId: this.name, url, types: this.types },
          keys: this.#decoder?.texts ?? null,
        },
      },
    });
    const created = answer?.['created'] as Record<string, { id: string }> | null | undefined;
    if (answer !== null && created?.['k'] === undefined)
      this.world.problems.add(`${this.describe()} was not created: ${JSON.stringify(answer)}`);
    this.#id ??= created?.['k']?.id ?? null;
  }

  /** One whose creation was not answered, or whose verification was lost with a server. */
  override async excuse(): Promise<string | null> {
    if (this.#isVerified) return null;
    if (this.#verifications === 0 && this.#id === null) return 'it was not created';
    if (!this.world.hasKilled || this.#verifications > 0 || this.#id === null) return null;
    const row = await this.world.fleet.prisma.jmapPushSubscription.findUnique({
      where: { id: this.#id },
    });
    const isLost = row === null || row.verificationSent !== null;
    return isLost ? 'the server that sent the verification was killed' : null;
  }

  /** How its pushes went, as the servers have stored it. */
  override async detail(): Promise<string> {
    const row = await this.world.fleet.prisma.jmapPushSubscription.findUnique({
      where: { id: this.#id ?? '' },
      select: { failures: true, notBefore: true, lastFailureReason: true, lastSuccess: true },
    });
    const entries = Object.entries(row ?? {}).map(([name, value]) => `${name} ${String(value)}`);
    return ` (${entries.join(', ')})`;
  }

  override describe(): string {
    const state = this.#isVerified ? 'verified' : `${this.#verifications} verifications`;
    return `${super.describe()} (${this.#id ?? 'no id'}, ${state})`;
  }

  #take(body: Buffer, isAccepted: boolean): void {
    const text = this.#decoder?.read(body) ?? body.toString();
    const message = JSON.parse(text) as Message;
    if (message['@type'] === 'PushVerification') {
      this.#verifications += 1;
      if (this.#verifications > 1) this.#complain('had two verifications');
      void this.#verify(message);
      return;
    }
    if (!this.#isVerified) this.#complain(`was told before it was verified: ${text}`);
    // A refused message tells nothing.
    if (isAccepted) this.take(message.changed, null);
  }

  async #verify({ pushSubscriptionId: id, verificationCode }: Message): Promise<void> {
    if (this.#id !== null && this.#id !== id) this.#complain(`got a verification of ${id}`);
    this.#id = id;
    void this.ask();
    // A push may come before the answer.
    this.#isVerified = true;
    while (this.world.phase !== 'over') {
      const answer = await this.#call({ update: { [id]: { verificationCode } } });
      if (answer === null) {
        await pause(20);
        continue;
      }
      const updated = answer['updated'] as Record<string, unknown> | null | undefined;
      if (updated?.[id] === undefined)
        this.#complain(`was not verified: ${JSON.stringify(answer)}`);
      return;
    }
  }

  async #call(args: object): Promise<Record<string, unknown> | null> {
    const client = this.world.client(this.person, this.random)?.with([CORE]);
    try {
      const answer = await client?.api([['PushSubscription/set', args, 's']]);
      const done = answer?.methodResponses[0]?.[1] as Record<string, unknown> | undefined;
      // A busy machine is no fault.
      return done === undefined || done['type'] === 'serverUnavailable' ? null : done;
    } catch (error) {
      if (!isStop(error)) this.#complain(`had a call fail: ${String(error)}`);
      return null;
    }
  }

  #complain(problem: string): void {
    this.world.problems.add(`${this.describe()} ${problem}`);
  }
}
