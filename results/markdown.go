package results

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// WriteMarkdown writes a sweep's summary for a pull request or a CI page.
func WriteMarkdown(w io.Writer, s *Sweep) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s, seeds %s\n\n", Markdown(s.Scenario), Markdown(s.Range))
	if s.Shard != "" {
		fmt.Fprintf(&b, "Shard %s. ", Markdown(s.Shard))
	}
	fmt.Fprintf(&b, "Expectation **%s**", Markdown(s.Expectation))
	if s.Why != "" {
		fmt.Fprintf(&b, ": %s", Markdown(s.Why))
	}
	fmt.Fprintf(&b, "\n\n%d seeds in %.1f s: %.0f seeds/s, %.0f events/s, virtual time %.0f times the wall (slowest tenth %.0f).\n",
		s.Seeds, s.WallMS/1000, s.SeedsPerS, s.EventsPerS, s.VirtualPerWall.Median, s.VirtualPerWall.P10)
	if s.Interrupted {
		b.WriteString("Interrupted: only the finished seeds are counted.\n")
	}

	b.WriteString("\n| invariant | violated | unknown | first seed |\n| --- | --- | --- | --- |\n")
	for _, r := range Rules {
		first := ""
		if seed, ok := s.FirstSeed[r.ID]; ok {
			first = fmt.Sprint(seed)
		}
		fmt.Fprintf(&b, "| %s %s | %d | %d | %s |\n", r.ID, r.Name, s.Violated[r.ID], s.UnknownOf[r.ID], first)
	}
	markdownCounts(&b, "observed", s.Observed)
	markdownCounts(&b, "exercised", s.Coverage)

	for _, k := range s.Kept {
		fmt.Fprintf(&b, "\n## Seed %d: %s\n\n", k.Seed, Markdown(strings.Join(k.Violated, ", ")))
		for _, l := range k.Story {
			fmt.Fprintf(&b, "    %s\n", Plain(l)) // an indented block shows text as it is
		}
		fmt.Fprintf(&b, "\nAgain: `dlsim replay %s`\n", strings.ReplaceAll(Plain(s.Results+"/"+k.Folder), "`", ""))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownCounts(b *strings.Builder, name string, counts map[string]int) {
	if len(counts) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s | seeds |\n| --- | --- |\n", name)
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(b, "| %s | %d |\n", Markdown(k), counts[k])
	}
}
