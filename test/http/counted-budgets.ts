import {
  AnswerBudget,
  BodyBudget,
  type HeldAnswer,
  Slots,
  Tally,
} from '../../src/runtime/budgets.js';

/** Tells how many slots of each user are taken. */
export class CountedSlots extends Slots {
  readonly counts = new Tally();

  override take(user: string): boolean {
    const isTaken = super.take(user);
    if (isTaken) this.counts.set(user, this.counts.get(user) + 1);
    return isTaken;
  }

  override release(user: string): void {
    super.release(user);
    this.counts.set(user, this.counts.get(user) - 1);
  }
}

/** Tells how many octets of bodies are held. */
export class CountedBodies extends BodyBudget {
  octets = 0;

  override take(user: string, octets: number): boolean {
    const isTaken = super.take(user, octets);
    if (isTaken) this.octets += octets;
    return isTaken;
  }

  override release(user: string, octets: number): void {
    super.release(user, octets);
    this.octets -= octets;
  }
}

/** Tells how many octets of answers are held. */
export class CountedAnswers extends AnswerBudget {
  octets = 0;

  override count(answer: HeldAnswer, before: number, now: number): void {
    super.count(answer, before, now);
    this.octets += now - before;
  }
}
