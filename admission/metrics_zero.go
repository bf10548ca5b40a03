package admission

// atZero brings every series that can come up into being, so that rates and
// alerts see the first event of its kind.
func (m *metrics) atZero() {
	for _, lane := range []Lane{LaneTile, LaneFull} {
		m.requests.WithLabelValues(string(lane), string(CodeClientGone), string(CodeClientGone))
		for _, code := range Codes() {
			m.requests.WithLabelValues(string(lane), resultShed, string(code))
		}
	}
	for _, format := range append([]string{labelOther}, formatLabels...) {
		m.disagreement.WithLabelValues(string(LaneTile), string(LaneFull), format)
		m.disagreement.WithLabelValues(string(LaneFull), string(LaneTile), format)
	}
	m.quota.WithLabelValues(resultAdmitted, codeNone)
	for _, code := range Codes() {
		if code.Kind() == KindQuota {
			m.quota.WithLabelValues(resultRefused, string(code))
		}
	}
	for _, kind := range []string{ReplayCache, ReplayNotModified, ReplayJoined} {
		m.replayed.WithLabelValues(kind)
	}
	for _, kind := range []FanoutKind{FanoutPrefetch, FanoutWarm, FanoutLua} {
		for _, result := range []string{resultAdmitted, resultSkipped, resultError} {
			m.fanout.WithLabelValues(string(kind), result)
		}
	}
	for _, by := range []string{"client", "operator", "timeout"} {
		m.cancelled.WithLabelValues(by)
	}
	m.transitions.WithLabelValues(SeverityNormal.String(), reasonRecovery)
	m.transitions.WithLabelValues(SeverityHigh.String(), reasonOOM)
	m.transitions.WithLabelValues(SeverityCritical.String(), reasonOOM)
	for _, reason := range []string{signalCgroup, signalHigh, signalPSISome, signalPSIFull, signalRSS, signalVips, signalGoHeap} {
		m.transitions.WithLabelValues(SeverityHigh.String(), reason)
		m.transitions.WithLabelValues(SeverityCritical.String(), reason)
	}
}
