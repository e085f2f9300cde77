// SPDX-License-Identifier: MIT
#include "formats/msccl/msccl.h"

#include <gtest/gtest.h>

#include "common/findings.h"
#include "config/xml_document.h"

namespace convert {
namespace {

const std::string step =
    R"(<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>)";

std::string msccl_document(const std::string& algo, const std::string& gpu0, const std::string& gpu1 = "") {
  return "<algo " + algo + ">\n<gpu id=\"0\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\">\n" + gpu0 +
         "\n</gpu>\n<gpu id=\"1\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\">\n" + gpu1 + "</gpu>\n</algo>\n";
}
const std::string algo =
    R"(name="a" proto="LL" nchannels="1" nchunksperloop="1" ngpus="2" coll="broadcast" inplace="0")";

// Returns all findings, a thrown error last, as "LINE:COLUMN: error: MESSAGE [RULE]", one per line.
std::string msccl_findings(const std::string& text) {
  Diagnostics diagnostics;
  test::read_with_findings([&](Diagnostics& d) { (void)read_msccl(text, "f", d); }, diagnostics);
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) out += format_diagnostic(d).substr(2) + "\n";
  return out;
}

// One step with one attribute replaced or removed.
std::string step_with(const std::string& from, const std::string& to) {
  std::string s = step;
  s.replace(s.find(from), from.size(), to);
  return msccl_document(algo, "<tb id=\"0\" send=\"1\" recv=\"-1\" chan=\"0\">\n  " + s + "\n</tb>");
}

TEST(ReadMsccl, KeepsEveryField) {
  Diagnostics diagnostics;
  const Algorithm a = read_msccl(
      "<?xml version=\"1.0\"?>\n<!-- licence -->\n" +
          msccl_document(
              "name=\"x &amp; &#65;\" proto=\"LL128\" nchannels=\"2\" nchunksperloop=\"6\" ngpus=\"2\" "
              "coll=\"reducescatter\" inplace=\"1\" outofplace=\"0\" minBytes=\"1\" maxBytes=\"99\" "
              "nthreads=\"512\"",
              R"(<copy i_off="1" o_off="2"/><tb id="0" send="1" recv="-1" chan="1"><step hasdep="1" deps="3" depid="2" cnt="7" dstoff="5" dstbuf="s" srcoff="4" srcbuf="o" type="rrcs" s="0"/></tb>)"),
      "f", diagnostics);
  EXPECT_EQ(diagnostics.errors(), 0U);
  EXPECT_EQ(a.name, "x & A");
  EXPECT_EQ(a.protocol, Protocol::ll128);
  EXPECT_EQ(a.collective, Collective::reduce_scatter);
  EXPECT_EQ(a.collective_text, "reducescatter");
  EXPECT_EQ(a.channels, 2);
  EXPECT_EQ(a.chunks, 6);
  EXPECT_TRUE(a.inplace);
  EXPECT_EQ(a.outofplace, false);
  EXPECT_EQ(a.min_bytes, 1);
  EXPECT_EQ(a.max_bytes, 99);
  EXPECT_EQ(a.attributes.back(), (std::pair<std::string, std::string>("nthreads", "512")));
  ASSERT_EQ(a.gpus[0].copies.size(), 1U);
  EXPECT_EQ(a.gpus[0].copies[0].o_off, 2);
  EXPECT_EQ(a.tbs[0].send, 1);
  EXPECT_EQ(a.tbs[0].chan, 1);
  const Step& s = a.steps.at(0);
  EXPECT_EQ(s.type, StepType::rrcs);
  EXPECT_EQ(s.src_buf, Buffer::output);
  EXPECT_EQ(s.src_off, 4);
  EXPECT_EQ(s.dst_buf, Buffer::scratch);
  EXPECT_EQ(s.dst_off, 5);
  EXPECT_EQ(s.cnt, 7);
  EXPECT_EQ(s.depid, 2);
  EXPECT_EQ(s.deps, 3);
  EXPECT_TRUE(s.hasdep);
  EXPECT_EQ(s.line, 5U);
}

TEST(ReadMsccl, DefectsOfAStepHaveItsLineAndColumn) {
  EXPECT_EQ(msccl_findings(step_with("cnt=\"1\" ", "")),
            "4:3: error: <step> has no attribute 'cnt' [attributes]\n");
  EXPECT_EQ(msccl_findings(step_with("srcoff=\"0\"", "srcoff=\"0x3\"")),
            "4:3: error: srcoff=\"0x3\" is not a decimal integer [attributes]\n");
  EXPECT_EQ(msccl_findings(step_with("srcoff=\"0\"", "srcoff=\"99999999999999999999\"")),
            "4:3: error: srcoff=\"99999999999999999999\" exceeds the integer range [attributes]\n");
  EXPECT_EQ(msccl_findings(step_with("srcoff=\"0\"", "srcoff=\"3000000000\"")),
            "4:3: error: srcoff=\"3000000000\" is out of range [attributes]\n");
  EXPECT_EQ(msccl_findings(step_with("type=\"s\"", "type=\"ra\"")),
            "4:3: error: type=\"ra\" is not a step type; expected s, r, rcs, rrs, rrc, rrcs, cpy, re or nop "
            "[attributes]\n");
  EXPECT_EQ(msccl_findings(step_with("srcbuf=\"i\"", "srcbuf=\"x\"")),
            "4:3: error: srcbuf=\"x\" is not a buffer; expected i, o or s [attributes]\n");
  EXPECT_EQ(msccl_findings(step_with("cnt=\"1\"", "cnt=\"72\"")),
            "4:3: error: cnt=72: a step moves 1…71 chunks [steps]\n");
  EXPECT_EQ(msccl_findings(step_with("hasdep=\"0\"", "hasdep=\"2\"")),
            "4:3: error: hasdep=\"2\": expected 0 or 1 [attributes]\n");
  EXPECT_EQ(msccl_findings(step_with("s=\"0\" ", "s=\"4\" ")),
            "4:3: error: gpu 0 threadblock 0: step 4 is at position 0 [steps]\n");
  EXPECT_EQ(msccl_findings(step_with("cnt=\"1\"", "cnt=\"1\" cnt=\"1\"")),
            "4:3: error: attribute 'cnt' of <step> is given twice [xml]\n");
}

TEST(ReadMsccl, CharacterReferencesInAttributesAreDecoded) {
  for (const auto& [from, to] :
       std::initializer_list<std::pair<const char*, const char*>>{{"cnt=\"1\"", "cnt=\"&#49;\""},
                                                                  {"cnt=\"1\"", "cnt=\"&#x31;&#10;\""},
                                                                  {"depid=\"-1\"", "depid=\"&#45;1\""},
                                                                  {"type=\"s\"", "type=\"&#115;\""},
                                                                  {"srcbuf=\"i\"", "srcbuf=\"&#x69;\""},
                                                                  {"dstbuf=\"o\"", "dstbuf=\"&#x6F;\""}})
    EXPECT_EQ(msccl_findings(step_with(from, to)), "") << to;
  EXPECT_EQ(msccl_findings(msccl_document(algo, R"(<tb id="&#48;" send="&#x31;" recv="&#45;1" chan="&#48;"/>)")),
            "");
  std::string gpu = msccl_document(algo, "");
  gpu.replace(gpu.find("i_chunks=\"1\""), 12, "i_chunks=\"&#49;\"");
  EXPECT_EQ(msccl_findings(gpu), "");
  EXPECT_EQ(msccl_findings(step_with("cnt=\"1\"", "cnt=\"&#x41;\"")),
            "4:3: error: cnt=\"A\" is not a decimal integer [attributes]\n");
  EXPECT_EQ(msccl_findings(step_with("cnt=\"1\"", "cnt=\"&one;\"")),
            "4:3: error: cnt=\"&one;\" is not a decimal integer [attributes]\n");
  EXPECT_EQ(msccl_findings(step_with("srcbuf=\"i\"", "srcbuf=\"&lt;\"")),
            "4:3: error: srcbuf=\"&lt;\" is not a buffer; expected i, o or s [attributes]\n");
}

// One defect gives one finding: unreadable parts are not checked further.
TEST(ReadMsccl, NoFindingsAfterAnUnreadablePart) {
  std::string bad = algo;
  bad.replace(bad.find("nchannels=\"1\""), 13, "nchannels=\"0\"");
  EXPECT_EQ(msccl_findings(msccl_document(bad, R"(<tb id="0" send="1" recv="-1" chan="3"/>)")),
            "1:1: error: nchannels=\"0\" is out of range [attributes]\n");
  Diagnostics diagnostics;
  EXPECT_TRUE(is_complete(read_msccl(msccl_document(algo, R"(<copy i_off="0" o_off="0"/>)"), "f", diagnostics)));
  EXPECT_FALSE(is_complete(read_msccl(msccl_document(algo, R"(<copy i_off="0"/>)"), "f", diagnostics)));
}

TEST(ReadMsccl, WhatIsUnknownIsCountedOnce) {
  EXPECT_EQ(msccl_findings(step_with("cnt=\"1\"", "cnt=\"1\" rate=\"3\"")),
            "4:3: warning: attribute 'rate' of <step> is not part of MSCCL-IR and is ignored [attributes]\n");
  EXPECT_EQ(msccl_findings(msccl_document(algo, "<foo><gpu id=\"7\"/></foo>\n<foo/>")),
            "3:1: warning: element <foo> in <gpu> is not part of MSCCL-IR and is ignored (2 times) [attributes]\n");
}

TEST(ReadMsccl, ThreadblocksAndGpus) {
  const auto tb = [](const std::string& attributes) {
    return msccl_findings(msccl_document(algo, "<tb " + attributes + "/>"));
  };
  EXPECT_EQ(tb(R"(id="0" send="0" recv="-1" chan="0")"),
            "3:1: error: gpu 0 threadblock 0: send peer is the gpu itself [peers]\n");
  EXPECT_EQ(tb(R"(id="0" send="2" recv="-1" chan="0")"),
            "3:1: error: gpu 0 threadblock 0: send peer 2 is outside of 0…1 [peers]\n");
  EXPECT_EQ(tb(R"(id="0" send="1" recv="-1" chan="1")"),
            "3:1: error: gpu 0 threadblock 0: channel 1 is outside of 0…0 [channels]\n");
  EXPECT_EQ(tb(R"(id="0" send="-1" recv="-1" chan="-1")"), "");
  EXPECT_EQ(tb(R"(id="1" send="1" recv="-1" chan="0")"),
            "2:1: error: gpu 0: threadblock ids must be 0…0; 0 is missing [threadblocks]\n");
  const std::string one = R"(<tb id="0" send="1" recv="-1" chan="0"/>)";
  EXPECT_EQ(msccl_findings(msccl_document(algo, one + one)),
            "3:41: error: gpu 0 has two threadblocks 0 [threadblocks]\n");
  const std::string gpu = R"(<gpu id="0" i_chunks="0" o_chunks="0" s_chunks="0"/>)";
  EXPECT_EQ(msccl_findings("<algo " + algo + ">" + gpu + gpu + "</algo>"),
            "1:" + std::to_string(8 + algo.size() + gpu.size()) +
                ": error: gpu 0 is given twice [gpus]\n1:1: error: 1 <gpu> element for ngpus=2; gpu 1 is missing "
                "[gpus]\n");
}

TEST(ReadMsccl, ImpossibleHeadersEndTheReading) {
  const auto with_algo = [](const std::string& from, const std::string& to) {
    std::string text = algo;
    text.replace(text.find(from), from.size(), to);
    return msccl_findings("<algo " + text + "/>");
  };
  EXPECT_EQ(with_algo("proto=\"LL\"", "proto=\"ll\""),
            "1:1: error: proto=\"ll\" is not a protocol; expected Simple, LL or LL128 [attributes]\n");
  EXPECT_EQ(with_algo("ngpus=\"2\"", ""), "1:1: error: <algo> has no attribute 'ngpus' [attributes]\n");
  EXPECT_EQ(with_algo("ngpus=\"2\"", "ngpus=\"2000000000\""),
            "1:1: error: 0 <gpu> elements for ngpus=2000000000; gpu 0 is missing [gpus]\n");
  EXPECT_EQ(with_algo("coll=\"broadcast\"", "coll=\"gossip\""),
            "1:1: error: coll=\"gossip\" is not a collective; expected allreduce, allgather, reduce, broadcast, "
            "alltoall, reduce_scatter or custom [attributes]\n");
  EXPECT_EQ(msccl_findings("<algorithm/>"), "1:1: error: the root element is <algorithm>, not <algo> [xml]\n");
}

TEST(ReadMsccl, LenientXmlIsRefused) {
  EXPECT_EQ(msccl_findings(""), " error: empty file: an XML document with root <algo> is required [xml]\n");
  EXPECT_EQ(msccl_findings("  \n"), " error: no XML element: a document with root <algo> is required [xml]\n");
  EXPECT_NE(msccl_findings("<!DOCTYPE algo [<!ENTITY a \"b\">]><algo/>")
                .find("a document type declaration is not accepted in MSCCL-IR; remove it [xml]"),
            std::string::npos);
  EXPECT_NE(msccl_findings("<algo/><algo/>").find("1:8: error: a second root element <algo> [xml]"),
            std::string::npos);
  EXPECT_NE(msccl_findings("<algo/>rest").find("text outside the root element [xml]"), std::string::npos);
  EXPECT_NE(msccl_findings(msccl_document(algo, "text")).find("text inside <gpu>: only elements are allowed [xml]"),
            std::string::npos);
  EXPECT_NE(msccl_findings("<algo " + algo + " x=\"&undefined;\"/>")
                .find("attribute 'x': its value has an undefined entity, a '<' or a control character [xml]"),
            std::string::npos);
  EXPECT_NE(msccl_findings(std::string("<algo/>\0", 8)).find("1:8: error: a NUL byte in an XML document [xml]"),
            std::string::npos);
}

TEST(ReadMsccl, EveryTruncationIsAnErrorWithAPlace) {
  const std::string whole =
      msccl_document(algo, "<tb id=\"0\" send=\"1\" recv=\"-1\" chan=\"0\">\n  " + step + "\n</tb>");
  const std::size_t end = whole.rfind('>') + 1;  // bytes after the closing tag are optional
  for (std::size_t n = 0; n < end; ++n) {
    const std::string found = msccl_findings(whole.substr(0, n));
    EXPECT_NE(found.find("[xml]"), std::string::npos) << n << ": " << found;
  }
  EXPECT_EQ(msccl_findings(whole.substr(0, end)), "");
}

TEST(ReadMsccl, AttributesWithoutEndAreRefused) {
  std::string text = "<algo";
  for (int i = 0; i < 200'000; ++i) text += " a" + std::to_string(i) + "=\"\"";
  EXPECT_NE(msccl_findings(text + "/>").find("<algo> has more than 256 attributes [xml]"), std::string::npos);
}

TEST(WriteMsccl, EscapesTextAndKeepsMscclangsOrder) {
  Algorithm a;
  a.name = "a<b>&\"c\"";
  a.collective_text = "custom";
  a.attributes = {{"name", "ignored"}, {"redop", "sum"}};
  a.gpus.resize(1);
  a.gpus[0].s_chunks = 3;
  std::string out;
  write_msccl(a, out);
  EXPECT_EQ(out,
            "<algo name=\"a&lt;b&gt;&amp;&quot;c&quot;\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"1\" "
            "ngpus=\"1\" coll=\"custom\" inplace=\"0\" "
            "outofplace=\"1\" minBytes=\"0\" maxBytes=\"134217728\" redop=\"sum\">\n"
            "  <gpu id=\"0\" i_chunks=\"0\" o_chunks=\"0\" s_chunks=\"3\">\n  </gpu>\n</algo>\n");
}

TEST(Xml, C1ControlsAreWrittenAsReferences) {
  const std::string text = "\u009b31m\u0080\u009f\u00a0é";
  std::string out;
  escape_xml(text, out);
  EXPECT_EQ(out, "&#155;31m&#128;&#159;\u00a0é");
  EXPECT_EQ(unescape_xml(out), text);
}

TEST(Xml, Unescape) {
  EXPECT_EQ(unescape_xml("a&lt;&gt;&amp;&quot;&apos;&#x41;&#66;"), "a<>&\"'AB");
  EXPECT_EQ(unescape_xml("&#8364;"), "\xe2\x82\xac");
  for (const char* bad : {"&", "&x;", "&#0;", "&#xD800;", "&#1114112;", "&#;", "&#1;", "\x01", "<", "&lt"})
    EXPECT_EQ(unescape_xml(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace convert
