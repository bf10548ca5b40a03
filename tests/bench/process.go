package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// tree returns the server's processes and their children.
func (s *server) tree() []int {
	list := make([]int, 0, 2*len(s.commands))
	for _, c := range s.commands {
		list = append(list, c.pid())
	}
	for i := 0; i < len(list); i++ {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", list[i], list[i]))
		if err != nil {
			continue
		}
		for f := range strings.FieldsSeq(string(b)) {
			if pid, err := strconv.Atoi(f); err == nil {
				list = append(list, pid)
			}
		}
	}
	return list
}

// ticks per second of the times in /proc: USER_HZ, which Linux keeps at 100.
const ticks = 100

// cpuSeconds is the CPU time that the server's processes have used.
func (s *server) cpuSeconds() float64 {
	total := 0
	for _, pid := range s.tree() {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		text := string(b)
		// The command's name, in parentheses, may contain spaces.
		fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
		if len(fields) < 13 {
			continue
		}
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		total += user + system
	}
	return float64(total) / ticks
}

// resetPeak starts the measuring of peak memory anew.
func (s *server) resetPeak() {
	for _, pid := range s.tree() {
		_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
	}
}

// peak is the sum of the processes' peaks of resident memory in bytes.
func (s *server) peak() int64 {
	total := int64(0)
	for _, pid := range s.tree() {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
				if kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64); err == nil {
					total += kib << 10
				}
			}
		}
	}
	return total
}
