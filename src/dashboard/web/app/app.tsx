import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { capitalise } from '#base/text.ts';
import { Announcements } from '#dashboard/web/components/announcements.tsx';
import { EmptyState } from '#dashboard/web/components/empty-state.tsx';
import { PageFrame, ProblemBanner } from '#dashboard/web/components/page-frame.tsx';
import { storeProblem, connection } from '#dashboard/web/live/live-updates.ts';
import type { PageProps } from './page-props.ts';
import { findPage, type PageEntry, PAGES } from './page-routes.ts';
import { address } from './router.ts';
import { ThemeSwitch } from './theme-switch.tsx';

/** The frame of all pages: navigation, connection and the page of the address. */
export function App() {
  const found = findPage(address.value.pathname);
  return (
    <>
      <a class="skip-link" href="#main">
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href="/">
          <Logo />
          trawl
        </a>
        <nav aria-label="Pages">
          {PAGES.map(({ name }) => (
            <a key={name} href={`/${name}`} aria-current={found?.page.name === name ? 'page' : undefined}>
              {capitalise(name || 'overview')}
            </a>
          ))}
        </nav>
        <ConnectionState />
        <ThemeSwitch />
      </header>
      <main id="main" tabIndex={-1}>
        {storeProblem.value && (
          <div class="page store-problem">
            <ProblemBanner title="The store cannot be read." problem={storeProblem.value} />
          </div>
        )}
        {found ? <Page key={found.page.name} page={found.page} path={found.path} /> : <UnknownPage />}
      </main>
      <Announcements />
    </>
  );
}

const Logo = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true" class="logo">
    <path d="M5 9c4 10 18 10 22 0M8.5 13.5l-2 9M16 16.500v9M23.500 13.500l2 9M6 20c5 5.500 15 5.500 20 0" />
  </svg>
);

/** Loads a page, and shows it. */
function Page({ page, path }: PageProps & { readonly page: PageEntry }) {
  const [Loaded, setLoaded] = useState<ComponentType<PageProps>>();
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    page.load().then(
      (component) => setLoaded(() => component),
      () => setLost(true),
    );
  }, [page]);
  if (isLost)
    return (
      <EmptyState
        title="This page could not be loaded"
        action={<button onClick={() => location.reload()}>Load it again</button>}
      >
        The dashboard may have been stopped or replaced by another version.
      </EmptyState>
    );
  return Loaded ? <Loaded path={path} /> : <p class="loading">Loading…</p>;
}

const UnknownPage = () => (
  <PageFrame title="There is no such page" links={<a href="/">Overview</a>}>
    <p>The address may belong to another version of the dashboard.</p>
  </PageFrame>
);

const TEXTS = { connecting: 'Connecting', connected: 'Connected', lost: 'Not connected' } as const;

/** Whether updates arrive. The age of the data is another matter: each page shows it. */
const ConnectionState = () => (
  <span class={`connection ${connection.value}`}>
    <i aria-hidden="true" />
    {TEXTS[connection.value]}
  </span>
);
