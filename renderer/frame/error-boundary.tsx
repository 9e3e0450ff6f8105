import { Component, type ReactNode } from 'react'
import { ErrorState } from '../ui/error-state.tsx'

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
    return <ErrorState error={this.state.error} onRetry={() => this.setState({ error: null })} />
  }
}
