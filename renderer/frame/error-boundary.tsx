import { Component, type ReactNode } from 'react'
import { Button } from '../ui/controls/button.tsx'
import { EmptyState } from '../ui/states/empty-state.tsx'
import { ErrorState } from '../ui/states/error-state.tsx'

type Props = {
  readonly children: ReactNode
  /** Another value gives what is below another chance. */
  readonly subject?: string
}
type State = { readonly error: unknown; readonly subject: string | undefined }

/** A view that breaks says so in its place; the rest of the window goes on. React knows this as a class only. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, subject: this.props.subject }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error }
  }

  static getDerivedStateFromProps({ subject }: Props, state: State): State | null {
    return subject === state.subject ? null : { error: null, subject }
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children
    if (isCodeMissing(this.state.error)) return <CodeMissing />
    return <ErrorState error={this.state.error} onRetry={() => this.setState({ error: null })} />
  }
}

/** What browsers and the bundler say when a part of the app does not arrive. */
const isCodeMissing = (error: unknown): boolean =>
  error instanceof Error && /dynamically imported module|preload CSS|importing a module script/i.test(error.message)

/** A part that did not arrive is not asked for again by the browser: only a new page does that. */
function CodeMissing() {
  return (
    <EmptyState
      title="This part of the app did not arrive"
      actions={<Button onClick={() => location.reload()}>Load the page again</Button>}
    >
      The app that serves this page did not answer. Once it can be reached again, load the page; it opens at the same
      place.
    </EmptyState>
  )
}
