import { useLive } from '@jmapsmith/client/react';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { describeProblem, type Jmap, start, type TodoRow } from '../shared/start.js';

function App({ jmap }: { readonly jmap: Jmap }) {
  const { Todo } = jmap.account();
  const todos = useLive(Todo.live({ filter: { done: false }, sort: ['text'] }));
  const sync = useLive(jmap.sync);
  const problems = useLive(jmap.problems);
  return (
    <>
      <p role="status">
        {sync.status}, {sync.pending} not saved yet
      </p>
      <ul className="todos">
        {todos.rows.map((todo) => (
          <Item key={todo.$key} todo={todo} Todo={Todo} />
        ))}
      </ul>
      <form
        action={(form) => {
          Todo.create({ text: String(form.get('text')) });
        }}
      >
        <input name="text" aria-label="New todo" required />
        <button type="submit">Add</button>
      </form>
      <ul className="problems">
        {problems.map((problem) => (
          <li key={problem.key}>
            {describeProblem(problem)}
            <button type="button" onClick={problem.retry}>
              Try again
            </button>
            <button type="button" onClick={problem.discard}>
              Discard
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

interface ItemProps {
  readonly todo: TodoRow;
  readonly Todo: ReturnType<Jmap['account']>['Todo'];
}

function Item({ todo, Todo }: ItemProps) {
  const { $key, $pending, text } = todo;
  const [draft, setDraft] = useState<string | null>(null);
  return (
    <li className={$pending ? 'pending' : ''}>
      <input
        type="checkbox"
        aria-label="Done"
        checked={todo.done}
        onChange={(event) => Todo.update($key, { done: event.target.checked })}
      />
      <input
        aria-label="Text"
        value={draft ?? text}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
        onBlur={() => {
          if (draft !== null) Todo.update($key, { text: draft });
          setDraft(null);
        }}
      />
      <button type="button" onClick={() => Todo.destroy($key)}>
        Delete
      </button>
      {$pending && <small>not saved yet</small>}
    </li>
  );
}

start((jmap, element) =>
  createRoot(element).render(
    <StrictMode>
      <App jmap={jmap} />
    </StrictMode>,
  ),
);
