import { Component, type ReactNode } from 'react'
import { ErrorState } from '../ui/error-state.tsx'

type Props = { readonly children: ReactNode }
type State = { readonly error: unknown }

/** A view that breaks says so in its place; the rest of the window goes on. React knows this as a class only. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null }

  static getDerivedStateFromError(error: unknown): State {
    return { error }
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children
    return <ErrorState error={this.state.error} onRetry={() => this.setState({ error: null })} />
  }
}
