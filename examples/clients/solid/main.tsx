/** @jsxImportSource solid-js */
import { Rows, useLive } from '@jmapsmith/client/solid';
import { For, Show } from 'solid-js';
import { render } from 'solid-js/web';
import { describeProblem, type Jmap, start } from '../shared/start.js';

function App(props: { readonly jmap: Jmap }) {
  const { Todo } = props.jmap.account();
  const todos = useLive(() => Todo.live({ filter: { done: false }, sort: ['text'] }));
  const sync = useLive(() => props.jmap.sync);
  const problems = useLive(() => props.jmap.problems);
  function add(event: SubmitEvent): void {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    Todo.create({ text: String(new FormData(form).get('text')) });
    form.reset();
  }
  return (
    <>
      <p role="status">
        {sync().status}, {sync().pending} not saved yet
      </p>
      <ul class="todos">
        <Rows each={todos().rows}>
          {(todo) => (
            <li class={todo().$pending ? 'pending' : ''}>
              <input
                type="checkbox"
                aria-label="Done"
                checked={todo().done}
                onChange={() => Todo.update(todo().$key, { done: true })}
              />
              <input
                aria-label="Text"
                value={todo().text}
                onChange={(event) => Todo.update(todo().$key, { text: event.currentTarget.value })}
              />
              <button type="button" onClick={() => Todo.destroy(todo().$key)}>
                Delete
              </button>
              <Show when={todo().$pending}>
                <small>not saved yet</small>
              </Show>
            </li>
          )}
        </Rows>
      </ul>
      <form onSubmit={add}>
        <input name="text" aria-label="New todo" required />
        <button type="submit">Add</button>
      </form>
      <ul class="problems">
        <For each={problems()}>
          {(problem) => (
            <li>
              {describeProblem(problem)}
              <button type="button" onClick={() => problem.retry()}>
                Try again
              </button>
              <button type="button" onClick={() => problem.discard()}>
                Discard
              </button>
            </li>
          )}
        </For>
      </ul>
    </>
  );
}

start((jmap, element) => render(() => <App jmap={jmap} />, element));
