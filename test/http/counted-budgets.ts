import { Allowance, AnswerBudget, type AnswerRoom } from '../../src/runtime/budgets.js';

/** Tells how much each user has taken. */
export class CountedAllowance extends Allowance {
  readonly #counts = new Map<string, number>();

  override release(user: string, amount = 1): void {
    super.release(user, amount);
    this.#counts.set(user, this.amountOf(user) - amount);
  }

  amountOf(user: string): number {
    return this.#counts.get(user) ?? 0;
  }
}

/** Tells how many octets of answers are held. */
export class CountedAnswers extends AnswerBudget {
  octets = 0;

  override count(room: AnswerRoom, more: number): void {
    super.count(room, more);
    this.octets += more;
  }
}
